"""Plain data as new lines in the layout of a file. Lines after the first carry their whole indentation."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_lsp.syntax.layout import Layout
from waza_lsp.syntax.written import flow, quoted, scalar

_MARKS = frozenset(",[]{}")


def inline(value: Any, *, inside: bool = False) -> str:
    """A value on one line; `inside` brackets more texts need quotes."""
    match value:
        case str():
            plain = scalar(value)
            return quoted(value) if inside and plain == value and _MARKS.intersection(value) else plain
        case Mapping():
            return "{" + ", ".join(f"{inline(k)}: {inline(it, inside=True)}" for k, it in value.items()) + "}"
        case list():
            return "[" + ", ".join(inline(it, inside=True) for it in value) + "]"
        case _:
            return flow(value)


def entry(key: str, value: Any, column: int, layout: Layout, *, listed: bool) -> list[str]:
    """A key and its value; `listed` writes lists of texts and numbers one item a line too."""
    head = f"{inline(key)}:"
    match value:
        case str() if "\n" in value.rstrip("\n"):
            indent = " " * (column + layout.step)
            mark = "|" if value.endswith("\n") else "|-"
            return [f"{head} {mark}", *(indent + it if it else "" for it in value.splitlines())]
        case Mapping() if value:
            return [head, *_block(value, column + layout.step, layout, listed=listed)]
        case list() if value and (listed or any(isinstance(it, Mapping) for it in value)):
            indent = " " * (column + layout.dash)
            lines = (item(it, column + layout.dash, layout, listed=listed) for it in value)
            return [head, *(indent * (at == 0) + line for it in lines for at, line in enumerate(it))]
        case _:
            return [f"{head} {inline(value)}"]


def item(value: Any, column: int, layout: Layout, *, listed: bool) -> list[str]:
    """A list item whose dash stands in a column."""
    dash = "-" + " " * (layout.gap - 1)
    if isinstance(value, Mapping) and value:
        first, *rest = _block(value, column + layout.gap, layout, listed=listed)
        return [dash + first.lstrip(" "), *rest]
    return [dash + inline(value)]


def _block(value: Mapping[str, Any], column: int, layout: Layout, *, listed: bool) -> Iterator[str]:
    for key, it in value.items():
        first, *rest = entry(key, it, column, layout, listed=listed)
        yield " " * column + first
        yield from rest
