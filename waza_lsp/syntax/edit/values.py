"""Rename keys, replace and quote values, wrap values in lists, add missing spaces.

Each function returns the edits, or None if the way the text is written does not allow the change.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft, Edit
from waza_lsp.syntax.edit.emit import entry, inline, item, quote_lines, quote_text
from waza_lsp.syntax.edit.members import (
    Container,
    Member,
    after_mark,
    bare_span,
    container_at,
    end_of_line,
    member_at,
)
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind, Node

_MARK = re.compile(r"[ \t]*(?:-(?=[^\s-])|(?:[\w.-]+):(?=[^\s:/\\]))")
_NOT_IN_BRACKETS = re.compile(r"[,\[\]{}]|: |:$| #")
_MOST_NODES = 200


def rename_key(draft: Draft, pointer: Pointer, name: str) -> list[Edit] | None:
    """Rename a key, keeping its quotes."""
    found = member_at(draft, pointer)
    if found is None or found[1].key is None or found[1].key_node is None:
        return None
    container = found[0]
    if container.index(name) is not None:
        return None
    return [
        Edit(
            bare_span(draft.text, found[1].key),
            _in_style(name, found[1].key_node.style, inside=container.flow),
        )
    ]


def replace_value(draft: Draft, pointer: Pointer, value: Any) -> list[Edit] | None:
    """Replace a value; a string keeps the quotes of the old value."""
    found = member_at(draft, pointer)
    if found is None:
        return None
    container, member = found
    old = member.node
    if isinstance(value, (dict, list)) or old.kind not in {Kind.SCALAR, Kind.ALIAS} or old.is_empty:
        return _replace_whole_value(draft, container, member, value)
    style = old.style if isinstance(value, str) else ""
    if style in {"|", ">"}:
        return _replace_whole_value(draft, container, member, value)
    return [Edit(bare_span(draft.text, member.value), _in_style(value, style, inside=container.flow))]


def has_empty_value(draft: Draft, pointer: Pointer) -> bool:
    """Whether there is a key whose value is missing or null."""
    found = member_at(draft, pointer)
    if found is None or found[1].node.kind is not Kind.SCALAR:
        return False
    return found[1].node.is_empty or found[1].node.value is None


def quote_value(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Put quotes around a plain value, or around a text that became a mapping by its `: `."""
    found = member_at(draft, pointer)
    if found is not None and found[1].node.kind is Kind.MAP and not found[1].node.flow:
        return [Edit(found[1].value, quote_lines(draft.text.slice(found[1].value)))]
    if (
        found is None
        or found[1].node.kind is not Kind.SCALAR
        or found[1].node.style
        or found[1].node.is_empty
    ):
        return None
    span = bare_span(draft.text, found[1].value)
    if "!" in draft.text.slice(Span(found[1].value.start, span.start)):
        return None  # The tag would still make it a number.
    return [Edit(span, quote_text(found[1].node.source))]


def split_text(draft: Draft, pointer: Pointer, line: str, key: str) -> list[Edit] | None:
    """Write `key:` above a line of a block text, which ends the text there."""
    found = member_at(draft, pointer)
    if found is None or found[1].key is None or found[1].node.style not in {"|", ">"}:
        return None
    indent = " " * found[1].key.start.column
    inner = range(found[1].value.start.line + 1, len(draft.text.lines))
    number = next((it for it in inner if draft.text.line(it).strip() == line), None)
    if number is None:
        return None
    return [Edit(Span(Place(number, 0), Place(number, 0)), f"{indent}{key}:\n")]


def wrap_in_list(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Make the value the only item of a list, in the style of the lists around it."""
    found = member_at(draft, pointer)
    if found is None or found[1].node.is_empty:
        return None
    container, member = found
    if member.is_block:
        return _block_map_as_list(draft, member)
    is_flow = (
        container.flow or member.key is None or (_flow_is_usual(draft, container) and member.is_one_line_flow)
    )
    if is_flow:
        span = bare_span(draft.text, member.value) if member.node.anchor is None else member.value
        return [Edit(span, f"[{source_in_brackets(draft, member, span)}]")]
    return _scalar_as_block_list(draft, member)


def add_missing_spaces(draft: Draft, pointer: Pointer) -> list[Edit] | None:
    """Add the missing space after the dash or colon at the start of plain lines or keys."""
    container = container_at(draft, pointer)
    found = member_at(draft, pointer)
    if container is not None:
        starts = [
            it.key.start for it in container.members if it.key and (it.node.is_empty or not container.flow)
        ]
    elif found is not None and found[1].node.kind is Kind.SCALAR and not found[1].node.style:
        start, end = bare_span(draft.text, found[1].value)
        starts = [start, *(Place(it, 0) for it in range(start.line + 1, end.line + 1))]
    else:
        return None
    marks = [(it.line, _MARK.match(draft.text.line(it.line), it.column)) for it in starts]
    places = [Place(line, mark.end()) for line, mark in marks if mark is not None]
    return [Edit(Span(it, it), " ") for it in places] or None


def source_in_brackets(draft: Draft, member: Member, span: Span) -> str:
    """Return the source of a value, quoted if its characters mean something else in brackets."""
    source = draft.text.slice(span)
    is_plain = member.node.kind is Kind.SCALAR and not member.node.style
    return quote_text(member.node.source) if is_plain and _NOT_IN_BRACKETS.search(source) else source


def is_flow_usual(draft: Draft, pointer: Pointer) -> bool:
    """Whether lists in the mapping at a pointer are usually written in brackets."""
    container = container_at(draft, pointer)
    return _flow_is_usual(draft, container or Container((), True, False, Span(Place(0, 0), Place(0, 0)), ()))


def _in_style(value: Any, style: str, *, inside: bool) -> str:
    if isinstance(value, str) and style == '"':
        return json.dumps(value, ensure_ascii=False)
    return quote_text(value) if isinstance(value, str) and style == "'" else inline(value, inside=inside)


def _replace_whole_value(draft: Draft, container: Container, member: Member, value: Any) -> list[Edit] | None:
    """Replace everything after the colon or dash."""
    if container.flow:
        return [_in_brackets(draft, member, inline(value, inside=True))]
    start = after_mark(draft.text, member)
    if start is None:
        return None
    listed = isinstance(value, list) and not _flow_is_usual(draft, container)
    head, *rest = _lines(draft, member, value, listed=listed)
    end = max(start, bare_span(draft.text, member.value).end)
    first_line = head[head.index(":") + 1 :] if member.key is not None else head[1:]
    if end == start and rest:
        # A comment after the colon stays there.
        last = end_of_line(draft.text, start.line)
        return [Edit(Span(last, last), "\n".join(["", *rest]))] if not first_line else None
    return [Edit(Span(start, end), "\n".join([first_line, *rest]))]


def _in_brackets(draft: Draft, member: Member, value: str) -> Edit:
    span = bare_span(draft.text, member.value)
    if member.key is None or not member.node.is_empty:
        return Edit(span, value)
    start = after_mark(draft.text, member)
    if start is None:
        return Edit(Span(member.key.end, member.key.end), f": {value}")
    is_behind_blanks = span.end.line == start.line and span == member.value
    return Edit(Span(start, span.end) if is_behind_blanks else span, f" {value}")


def _lines(draft: Draft, member: Member, value: Any, *, listed: bool) -> list[str]:
    """Return the lines of a value, after a one-letter key or after its dash."""
    if member.key is not None:
        return entry("k", value, member.key.start.column, draft.layout, listed=listed)
    dash = member.value.start.column - draft.layout.gap
    return item(value, max(0, dash), draft.layout, listed=listed)


def _scalar_as_block_list(draft: Draft, member: Member) -> list[Edit] | None:
    start = after_mark(draft.text, member)
    if start is None or member.key is None:
        return None
    layout = draft.layout
    dash = " " * (member.key.start.column + layout.dash) + "-" + " " * (layout.gap - 1)
    if member.value.start.line > start.line:
        return [Edit(Span(member.value.start, member.value.start), "- ")]
    if member.node.style in {"|", ">"}:
        if any(it.isdigit() for it in draft.text.line(start.line)[member.value.start.column :].split("#")[0]):
            return None  # An indentation number is relative to the parent's column, which changes.
        rest = range(start.line + 1, member.value.end.line + 1)
        edits = [_indent(line, layout.dash + layout.gap) for line in rest if draft.text.line(line)]
        return [Edit(Span(start, member.value.start), "\n" + dash), *edits]
    if member.value.end.line > member.value.start.line:
        return None
    end = end_of_line(draft.text, start.line)
    source = draft.text.slice(member.value)
    if not draft.text.line(start.line)[member.value.end.column :].strip():
        return [Edit(Span(start, end), f"\n{dash}{source}")]
    comment = Span(start, Place(start.line, member.value.end.column))
    return [Edit(comment, ""), Edit(Span(end, end), f"\n{dash}{source}")]


def _block_map_as_list(draft: Draft, member: Member) -> list[Edit] | None:
    start = member.value.start
    if (
        member.node.kind is not Kind.MAP
        or member.key is None
        or draft.text.line(start.line)[: start.column].strip()
    ):
        return None
    gap = draft.layout.gap
    rest = range(start.line + 1, member.value.end.line + 1)
    edits = [_indent(line, gap) for line in rest if draft.text.line(line).strip()]
    return [Edit(Span(start, start), "-" + " " * (gap - 1)), *edits]


def _indent(line: int, blanks: int) -> Edit:
    return Edit(Span(Place(line, 0), Place(line, 0)), " " * blanks)


def _flow_is_usual(draft: Draft, container: Container) -> bool:
    """Whether the nearest list, in this container or in the file, is in brackets."""
    for it in (*(it.node for it in container.members), *_nodes(draft)):
        if it.kind is Kind.SEQ and it.items and it.items[0].kind is Kind.SCALAR:
            return it.flow
    return True


def _nodes(draft: Draft) -> Iterator[Node]:
    waiting = [it.parsed.root for it in draft.tree.pieces if it.parsed.root is not None]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        node = waiting.pop(0)
        yield node
        waiting += [value for _, value in node.pairs] + node.items
