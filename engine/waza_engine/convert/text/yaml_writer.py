"""Write plain data as readable YAML, with comments at their keys and items."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.convert.text.comments import Comment, Comments
from waza_engine.lib.pointer import Pointer

_PLAIN = re.compile(r"(?:\.\.?/)*[A-Za-z][\w./+-]*(?:[ ,]+[\w./+()-]+)*\.?", re.ASCII)
_FLOW_PLAIN = re.compile(r"(?:\.\.?/)*[A-Za-z][\w./+-]*(?: +[\w./+()-]+)*", re.ASCII)
_DURATION = re.compile(r"\d+(?:ms|s|m|h)", re.ASCII)
_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"])
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_MOST_IN_FLOW, _LONGEST_IN_FLOW = 6, 60


def yaml_text(data: Mapping[str, Any], comments: Comments | None = None) -> str:
    """Return the YAML text of a mapping."""
    comments = comments or Comments()
    writer = _Writer(comments.at)
    lines = [*(f"#{it}" for it in comments.header), *([""] if comments.header else [])]
    lines += writer.mapping(data, (), "") if data else ["{}"]
    lines += ["", *(f"#{it}" for it in comments.footer)] if comments.footer else []
    return "\n".join(lines) + "\n"


class _Writer:
    """Yields the lines of one file. A comment whose place is not written would be lost: the caller knows the places."""

    def __init__(self, at: Mapping[Pointer, Comment]) -> None:
        self._at = at
        self._commented = {it[:size] for it in at for size in range(len(it))}

    def mapping(self, data: Mapping[str, Any], pointer: Pointer, indent: str) -> Iterator[str]:
        for key, value in data.items():
            child = (*pointer, key)
            comment = self._at.get(child, Comment())
            yield from (f"{indent}#{it}" for it in comment.above)
            yield from self._value(f"{indent}{_scalar(str(key))}:", value, child, indent, comment.beside)

    def _value(self, start: str, value: Any, pointer: Pointer, indent: str, beside: str) -> Iterator[str]:
        """Yield the lines of a key or an item with its value; `start` is its text so far."""
        end = f"  # {beside}" if beside else ""
        match value:
            case Mapping() if value:
                yield start + end
                yield from self.mapping(value, pointer, indent + "  ")
            case list() | tuple() if value and not self._is_flow(value, pointer):
                yield start + end
                yield from self._sequence(value, pointer, indent + "  ")
            case str() if _is_literal(value):
                chomping = (
                    ""
                    if value.endswith("\n") and not value.endswith("\n\n")
                    else "-"
                    if not value.endswith("\n")
                    else "+"
                )
                yield f"{start} |{chomping}{end}"
                body = value.removesuffix("\n")
                yield from (f"{indent}  {it}" if it else "" for it in body.split("\n"))
            case _:
                yield f"{start} {_inline(value)}{end}"

    def _sequence(self, items: Sequence[Any], pointer: Pointer, indent: str) -> Iterator[str]:
        for index, item in enumerate(items):
            child = (*pointer, index)
            comment = self._at.get(child, Comment())
            if not (isinstance(item, Mapping) and item):
                yield from (f"{indent}#{it}" for it in comment.above)
                yield from self._value(f"{indent}-", item, child, indent, comment.beside)
                continue
            first, *rest = self._item(item, child, indent)
            yield from (f"{indent}#{it}" for it in comment.lines)
            yield from first
            yield from rest

    def _item(self, item: Mapping[str, Any], pointer: Pointer, indent: str) -> Iterator[Any]:
        """Yield the lines above the dash with its line, then the other lines."""
        (key, value), *others = item.items()
        child = (*pointer, key)
        comment = self._at.get(child, Comment())
        start = f"{indent}- {_scalar(str(key))}:"
        yield [
            *(f"{indent}#{it}" for it in comment.above),
            *self._value(start, value, child, indent + "  ", comment.beside),
        ]
        yield from self.mapping(dict(others), pointer, indent + "  ")

    def _is_flow(self, items: Sequence[Any], pointer: Pointer) -> bool:
        """Whether a list is short enough for one line, and has no comments inside."""
        if pointer in self._commented or len(items) > _MOST_IN_FLOW:
            return False
        if not all(isinstance(it, str | int | float) for it in items):
            return False
        sizes = [len(str(it)) for it in items]
        return (
            max(sizes) <= _LONGEST_IN_FLOW * 2 // 3
            and sum(sizes) <= _LONGEST_IN_FLOW
            and not any("\n" in str(it) for it in items)
        )


def _is_literal(text: str) -> bool:
    """Whether a text can be written as a block, line for line."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    return (
        len(lines) > 1
        and not text.endswith("\n\n")
        and not lines[0].startswith((" ", "\t"))
        and bool(lines[0].strip())
        and not any(it != it.rstrip() or it.startswith("\t") for it in lines)
        and not _UNPRINTABLE.search(body.replace("\n", ""))
    )


def _inline(value: Any) -> str:
    match value:
        case Mapping():
            return (
                "{"
                + ", ".join(f"{_scalar(str(key), in_flow=True)}: {_inline(it)}" for key, it in value.items())
                + "}"
            )
        case list() | tuple():
            return (
                "["
                + ", ".join(_scalar(it, in_flow=True) if isinstance(it, str) else _inline(it) for it in value)
                + "]"
            )
        case _:
            return _scalar(value)


def _scalar(value: Any, *, in_flow: bool = False) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case _:
            return _text(str(value), in_flow=in_flow)


def _text(text: str, *, in_flow: bool) -> str:
    is_plain = (_FLOW_PLAIN if in_flow else _PLAIN).fullmatch(text) and text.lower() not in _WORDS
    if is_plain or _DURATION.fullmatch(text):
        return text
    if not _UNPRINTABLE.search(text):
        return f"'{text.replace(chr(39), chr(39) * 2)}'" if '"' in text or "\\" in text else f'"{text}"'
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda it: f"\\u{ord(it[0]):04x}", quoted)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return repr(value)
