"""Write plain data as YAML, for display and as new lines of a file.

`flow` and `block` are for display; `inline`, `entry` and `item` write new lines. Strings are plain where they read back
as the same string, otherwise in single quotes. For display, strings in brackets are always quoted. New lines follow the
layout of the file; all but the first include their whole indentation.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS, resolve
from waza_lsp.syntax.edit.edits import Layout

_BARE = re.compile(r"[\w./(<$~^=+;][^\r\n\t]*")
_NEEDS_QUOTES = re.compile(r": |:$| #|\s$")
_MARKS = frozenset(",[]{}")


def flow(value: Any, *, inside: bool = False) -> str:
    """Return a value on one line; `inside` means inside brackets."""
    match value:
        case str():
            return quote_text(value) if inside else scalar(value)
        case Mapping():
            return (
                "{" + ", ".join(f"{scalar(str(k))}: {flow(v, inside=True)}" for k, v in value.items()) + "}"
            )
        case Sequence():
            return "[" + ", ".join(flow(it, inside=True) for it in value) + "]"
        case float() if value.is_integer() and abs(value) < 1e15:
            return f"{value:.1f}"
        case _:
            return json.dumps(value)


def block(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a mapping or list in block style, each starting with `indent`."""
    if isinstance(value, Mapping) and value:
        for key, it in value.items():
            yield from _display_entry(f"{indent}{scalar(str(key))}:", it, indent + "  ")
    elif isinstance(value, list) and value:
        for it in value:
            lines = (
                list(block(it, indent + "  "))
                if isinstance(it, Mapping) and it
                else [f"{indent}  {flow(it)}"]
            )
            yield f"{indent}- {lines[0].lstrip()}"
            yield from lines[1:]
    else:
        yield indent + flow(value)


def scalar(text: str) -> str:
    """Return a string as a plain scalar where possible, else quoted."""
    is_bare = _BARE.fullmatch(text) and not _NEEDS_QUOTES.search(text)
    return (
        text
        if is_bare and isinstance(resolve(text), str) and text not in TRUE_WORDS | FALSE_WORDS
        else quote_text(text)
    )


def quote_text(text: str) -> str:
    """Return a string in single quotes; in double quotes if it has control characters."""
    if any(it < " " for it in text):
        return json.dumps(text, ensure_ascii=False)
    return "'" + text.replace("'", "''") + "'"


def quote_lines(source: str) -> str:
    """Return the source of a plain text in single quotes, with its line breaks and indentation."""
    return "'" + source.replace("\r\n", "\n").replace("'", "''") + "'"


def scalar_content(style: str, text: str) -> str:
    """Return what to write between the quotes of a scalar of this style.

    A plain scalar is quoted where necessary, also for use inside brackets.
    """
    if style == "'":
        return text.replace("'", "''")
    if style == '"':
        return json.dumps(text, ensure_ascii=False)[1:-1]
    if style in {"|", ">"}:
        return text
    return quote_text(text) if any(it in ",[]{}" for it in text) else scalar(text)


def inline(value: Any, *, inside: bool = False) -> str:
    """Return a value on one line of a file; `inside` brackets more strings need quotes."""
    match value:
        case str():
            plain = scalar(value)
            return quote_text(value) if inside and plain == value and _MARKS.intersection(value) else plain
        case Mapping():
            return "{" + ", ".join(f"{inline(k)}: {inline(it, inside=True)}" for k, it in value.items()) + "}"
        case list():
            return "[" + ", ".join(inline(it, inside=True) for it in value) + "]"
        case _:
            return flow(value)


def entry(key: str, value: Any, column: int, layout: Layout, *, listed: bool) -> list[str]:
    """Return the lines of a key and its value.

    `listed` writes lists of scalars one item per line too.
    """
    head = f"{inline(key)}:"
    match value:
        case str() if "\n" in value.rstrip("\n"):
            indent = " " * (column + layout.step)
            mark = "|" if value.endswith("\n") else "|-"
            return [f"{head} {mark}", *(indent + it if it else "" for it in value.splitlines())]
        case Mapping() if value:
            return [head, *_entries(value, column + layout.step, layout, listed=listed)]
        case list() if value and (listed or any(isinstance(it, Mapping) for it in value)):
            indent = " " * (column + layout.dash)
            lines = (item(it, column + layout.dash, layout, listed=listed) for it in value)
            return [head, *(indent * (at == 0) + line for it in lines for at, line in enumerate(it))]
        case _:
            return [f"{head} {inline(value)}"]


def item(value: Any, column: int, layout: Layout, *, listed: bool) -> list[str]:
    """Return the lines of a list item whose dash is in a column."""
    dash = "-" + " " * (layout.gap - 1)
    if isinstance(value, Mapping) and value:
        first, *rest = _entries(value, column + layout.gap, layout, listed=listed)
        return [dash + first.lstrip(" "), *rest]
    return [dash + inline(value)]


def _display_entry(head: str, value: Any, deeper: str) -> Iterator[str]:
    match value:
        case str() if "\n" in value.rstrip("\n"):
            yield f"{head} |" if value.endswith("\n") else f"{head} |-"
            yield from (deeper + it if it else "" for it in value.splitlines())
        case Mapping() if value:
            yield head
            yield from block(value, deeper)
        case list() if any(isinstance(it, Mapping) for it in value):
            yield head
            yield from block(value, deeper)
        case _:
            yield f"{head} {flow(value)}"


def _entries(value: Mapping[str, Any], column: int, layout: Layout, *, listed: bool) -> Iterator[str]:
    for key, it in value.items():
        first, *rest = entry(key, it, column, layout, listed=listed)
        yield " " * column + first
        yield from rest
