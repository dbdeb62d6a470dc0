"""Add or remove one member of a JSON text. Every other byte stays, comments and trailing commas included.

Agents' configuration files belong to their users. Parsing and printing them anew would drop comments and the layout.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

_TRIVIA = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SPACE = " \t\r\n"
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_MAX_DEPTH = 100
_DECODER = json.JSONDecoder()
MISSING = object()
"""What `data_at` returns where nothing is."""


class JsonTextError(ValueError):
    """The text is not JSON, or not shaped as the change needs it. The message has the line."""


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int
    data: Any
    members: tuple["_Member", ...] = ()


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object. `comma` is the offset of the comma behind it, or -1."""

    key: str
    start: int
    value: _Value
    comma: int


def data_at(text: str, keys: Sequence[str]) -> Any:
    """Return the value at a path of keys, or `MISSING`.

    Raises:
        JsonTextError: the text is not JSON, or something on the way is not an object.

    """
    value = _parse(text)
    for key in keys:
        member = _member(text, value, key)
        if member is None:
            return MISSING
        value = member.value
    return value.data


def put(text: str, keys: Sequence[str], data: Any) -> str:
    """Return the text with `data` at a path of keys that has no value yet.

    Raises:
        JsonTextError: the text is not JSON, or something on the way is not an object.

    """
    if not _TRIVIA.sub("", text):
        text += "{}"
    value = _parse(text)
    rest = list(keys)
    while (member := _member(text, value, rest[0])) is not None:
        value, rest = member.value, rest[1:]
    for key in reversed(rest[1:]):
        data = {key: data}
    return _insert(text, value, rest[0], data)


def remove(text: str, keys: Sequence[str]) -> str:
    """Return the text without the member at a path of keys, and without the objects that it leaves empty.

    Raises:
        JsonTextError: the text is not JSON, or something on the way is not an object.

    """
    value = _parse(text)
    for depth, key in enumerate(keys):
        member = _member(text, value, key)
        if member is None:
            return text
        if depth == len(keys) - 1:
            text = _cut(text, value, member)
        value = member.value
    above = keys[:-1]
    if above and _is_empty(text, above):
        return remove(text, above)
    return text


def _is_empty(text: str, keys: Sequence[str]) -> bool:
    value = _parse(text)
    for key in keys:
        member = _member(text, value, key)
        if member is None:
            return False
        value = member.value
    return not text[value.start + 1 : value.end - 1].strip(_SPACE)


def _insert(text: str, parent: _Value, key: str, data: Any) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    inner = text[parent.start + 1 : parent.end - 1]
    name = json.dumps(key, ensure_ascii=False)
    if parent.members and "\n" not in inner:
        last = parent.members[-1]
        end = last.comma + 1 if last.comma >= 0 else last.value.end
        added = f"{'' if last.comma >= 0 else ','} {name}: {json.dumps(data, ensure_ascii=False)}"
        return text[:end] + added + text[end:]
    outer = _indent_of_line(text, parent.start)
    unit = _unit(text)
    indent = _indent_of_line(text, parent.members[-1].start) if parent.members else outer + unit
    body = json.dumps(data, ensure_ascii=False, indent=unit).replace("\n", f"{line_end}{indent}")
    close = parent.end - 1
    end = parent.start + 1 + len(inner.rstrip(_SPACE))
    tail = text[end:close] if "\n" in text[end:close] else f"{line_end}{outer}"
    added = f"{line_end}{indent}{name}: {body}"
    if not parent.members:
        return text[:end] + added + tail + text[close:]
    last = parent.members[-1]
    if last.comma >= 0:
        return text[:end] + added + "," + tail + text[close:]
    return text[: last.value.end] + "," + text[last.value.end : end] + added + tail + text[close:]


def _cut(text: str, parent: _Value, member: _Member) -> str:
    start = member.start
    while text[start - 1] in _SPACE:
        start -= 1
    tight = _without(text, parent, member, start)
    try:
        _parse(tight)
    except JsonTextError:
        # The line end belonged to a comment, which would now hide what follows.
        return _without(text, parent, member, member.start)
    return tight


def _without(text: str, parent: _Value, member: _Member, start: int) -> str:
    if len(parent.members) == 1:
        end = member.comma + 1 if member.comma >= 0 else member.value.end
        inner = text[parent.start + 1 : start] + text[end : parent.end - 1]
        return text[: parent.start + 1] + (inner if inner.strip(_SPACE) else "") + text[parent.end - 1 :]
    if member.comma >= 0:
        return text[:start] + text[member.comma + 1 :]
    comma = parent.members[-2].comma
    return text[:comma] + text[comma + 1 : start] + text[member.value.end :]


def _indent_of_line(text: str, offset: int) -> str:
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    found = re.search(r"\{[ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _member(text: str, value: _Value, key: str) -> _Member | None:
    if not isinstance(value.data, dict):
        _fail(text, value.start, f"an object is needed to hold {key!r}")
    found = [it for it in value.members if it.key == key]
    if len(found) > 1:
        _fail(text, found[1].start, f"the key {key!r} is there twice")
    return found[0] if found else None


def _parse(text: str) -> _Value:
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    value = _value(text, start, 0)
    if (end := _skip(text, value.end)) != len(text):
        _fail(text, end, "more text after the value")
    return value


def _value(text: str, start: int, depth: int) -> _Value:
    if depth > _MAX_DEPTH:
        _fail(text, start, "too deeply nested")
    first = text[start : start + 1]
    if first == "{":
        return _object(text, start, depth)
    if first == "[":
        return _array(text, start, depth)
    if first == '"':
        data, end = _string(text, start)
        return _Value(start, end, data)
    scalar = _SCALAR.match(text, start)
    if scalar is None:
        _fail(text, start, "a value is missing or not valid")
    # Python refuses integers with thousands of digits. The text of a number stays as it is.
    return _Value(start, scalar.end(), json.loads(scalar[0], parse_int=float))


def _object(text: str, start: int, depth: int) -> _Value:
    members: list[_Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"' or (members and members[-1].comma < 0):
            _fail(text, at, "',' or '}' is missing" if members else "a key in double quotes is missing")
        key, end = _string(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            _fail(text, colon, "':' is missing")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        after = _skip(text, value.end)
        comma = after if text[after : after + 1] == "," else -1
        members.append(_Member(key, at, value, comma))
        at = _skip(text, after + 1) if comma >= 0 else after
    return _Value(start, at + 1, {it.key: it.value.data for it in members}, tuple(members))


def _array(text: str, start: int, depth: int) -> _Value:
    items: list[Any] = []
    at = _skip(text, start + 1)
    has_comma = True
    while text[at : at + 1] != "]":
        if not has_comma:
            _fail(text, at, "',' or ']' is missing")
        value = _value(text, at, depth + 1)
        items.append(value.data)
        at = _skip(text, value.end)
        if has_comma := text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return _Value(start, at + 1, items)


def _string(text: str, start: int) -> tuple[str, int]:
    try:
        data, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        _fail(text, error.pos, error.msg)
    return str(data), end


def _skip(text: str, start: int) -> int:
    found = _TRIVIA.match(text, start)
    return found.end() if found else start


def _fail(text: str, offset: int, problem: str) -> NoReturn:
    raise JsonTextError(f"line {text.count(chr(10), 0, offset) + 1}: {problem}")
