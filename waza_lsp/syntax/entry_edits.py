"""Whole entries and items: putting them in, taking them out with their comments, moving them.

Each function gives the edits, or None where the text is written in a way that the change does not fit.
"""

import re
from collections.abc import Sequence
from typing import Any

from waza_engine.findings import Pointer
from waza_lsp.syntax.compose import entry, inline, item
from waza_lsp.syntax.edits import Draft, Edit
from waza_lsp.syntax.members import (
    Container,
    Member,
    after_mark,
    container_at,
    dash_of,
    end_of,
    last_line,
    member_at,
)
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.value_edits import is_flow_usual

_INDENT = re.compile(r" *")


def with_key(draft: Draft, pointer: Pointer, key: str, value: Any, order: Sequence[str]) -> list[Edit] | None:
    """Add a key to a mapping, behind the one that comes before it in `order`; an empty value becomes a mapping."""
    layout, listed = draft.layout, not is_flow_usual(draft, pointer)
    one_line = f"{inline(key, inside=True)}: {inline(value, inside=True)}"
    container = container_at(draft, pointer)
    if container is None:
        return _first(draft, pointer, one_line, lambda at: entry(key, value, at, layout, listed=listed), layout.step)
    if not container.is_map or container.index(key) is not None:
        return None
    at = _index_for(container, key, order)
    if container.flow:
        return _among_flow(container, at, one_line)
    column = _column(container)
    return _among_lines(draft, container, at, entry(key, value, column, layout, listed=listed))


def with_item(draft: Draft, pointer: Pointer, value: Any) -> list[Edit] | None:
    """Add an item to the end of a list; the list is made where there is none."""
    container = container_at(draft, pointer)
    layout = draft.layout
    if container is None:
        found = member_at(draft, pointer)
        if found is None and pointer and isinstance(pointer[-1], str):
            return with_key(draft, pointer[:-1], pointer[-1], [value], ())
        return _first(draft, pointer, inline(value, inside=True), lambda at: item(value, at, layout, listed=True), layout.dash)
    if container.is_map:
        return None
    if container.flow:
        return _among_flow(container, len(container.members), inline(value, inside=True))
    dash = dash_of(draft.text, container.members[-1])
    if dash is None:
        return None
    return _among_lines(draft, container, len(container.members), item(value, dash.column, layout, listed=True), dash.column)


def without(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Take an entry or item out, with its lines and the comments directly above it."""
    found = member_at(draft, pointer)
    if found is None:
        return None
    container, _ = found
    index = container.index(pointer[-1])
    return without_member(draft, container, index) if index is not None else None


def without_member(draft: Draft, container: Container, index: int) -> list[Edit] | None:
    """As `without`, for a member that a pointer cannot tell from another one."""
    if container.flow:
        return [_out_of_flow(draft, container, index)]
    member = container.members[index]
    head = member.key.start if member.key is not None else dash_of(draft.text, member)
    if head is None:
        return None
    if len(container.members) == 1 and container.pointer:
        return _emptied(draft, container)
    before = draft.text.line(head.line)[: head.column]
    last = last_line(draft.text, member)
    if before.strip():
        return _off_dash_line(draft, container, index, head) if before.rstrip().endswith("-") else None
    first = head.line if index == 0 and not container.pointer else _first_comment(draft, head)
    if last + 1 < len(draft.text.lines):
        return [Edit(Span(Place(first, 0), Place(last + 1, 0)), "")]
    return [Edit(Span(end_of(draft.text, first - 1) if first else Place(0, 0), end_of(draft.text, last)), "")]


def moved(draft: Draft, pointer: Pointer, to: Pointer) -> list[Edit] | None:
    """Write an entry at another place, making the mappings on the way there."""
    found = member_at(draft, pointer)
    if found is None or not to or found[1].key is None or member_at(draft, to) is not None:
        return None
    source, member = found
    removal = without(draft, pointer)
    key = inline(str(to[-1]))
    insertion = _insertion(draft, source, member, to[:-1], [key])
    return [*removal, *insertion] if removal is not None and insertion is not None else None


def _insertion(draft: Draft, source: Container, member: Member, target: Pointer, keys: list[str]) -> list[Edit] | None:
    """The edits that write the member below a mapping; `keys` are the mappings to make, then its key."""
    container = container_at(draft, target)
    layout = draft.layout
    if container is None:
        if target and member_at(draft, target) is None:
            return _insertion(draft, source, member, target[:-1], [inline(str(target[-1])), *keys])
        lines_at = lambda at: _moved_lines(draft, source, member, keys, at)  # noqa: E731  # a named def would repeat the types
        return _first(draft, target, _moved_inline(draft, member, keys), lines_at, layout.step)
    if not container.is_map:
        return None
    at = len(container.members)
    if container.flow:
        text = _moved_inline(draft, member, keys)
        return _among_flow(container, at, text) if text else None
    if container.pointer == source.pointer:
        at = _last_other(container, member) + 1
    lines = _moved_lines(draft, source, member, keys, _column(container))
    return _among_lines(draft, container, at, lines)
