"""Mappings and lists with the spans of their members, both at the top level and below."""

import re
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.edit.edits import Draft
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind, Node

_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)*")
_COLON = re.compile(r"[ \t]*:")
_KEEPS_BLANK_LINES = re.compile(r"[|>]\d?\+")
_known: WeakKeyDictionary[Draft, dict[Pointer, "Container | None"]] = WeakKeyDictionary()


class Member(NamedTuple):
    """An entry of a mapping, or an item of a list (`key` is None), with absolute spans."""

    part: str | int
    key_node: Node | None
    key: Span | None
    node: Node
    value: Span

    @property
    def is_one_line_flow(self) -> bool:
        """Whether the value can be used inside brackets as written."""
        return (
            self.node.style not in {"|", ">"}
            and self.value.start.line == self.value.end.line
            and not self.is_block
        )

    @property
    def is_block(self) -> bool:
        """Whether the value is a mapping or list without brackets."""
        return self.node.kind in {Kind.MAP, Kind.SEQ} and not self.node.flow


@dataclass(frozen=True, slots=True)
class Container:
    """A mapping or list that has members or is in brackets."""

    pointer: Pointer
    is_map: bool
    flow: bool
    span: Span
    members: tuple[Member, ...]

    def index(self, part: str | int) -> int | None:
        """Return the index of the member with a key or index, or None."""
        return next((i for i, it in enumerate(self.members) if it.part == part), None)


def container_at(draft: Draft, pointer: Pointer) -> Container | None:
    """Return the mapping or list at a pointer; None for anything else."""
    # Cached: each finding in a long mapping asks, and building the container costs all its members.
    known = _known.setdefault(draft, {})
    if pointer not in known:
        known[pointer] = _find_container(draft, pointer)
    return known[pointer]


def _find_container(draft: Draft, pointer: Pointer) -> Container | None:
    tree = draft.tree
    if not pointer and tree.whole is None:
        members = tuple(_entry_member(it) for it in tree.entries)
        if not members or members[0].key is None:
            return None
        return Container((), True, False, Span(members[0].key.start, members[-1].value.end), members)
    entry = tree.entry(pointer[0]) if len(pointer) == 1 else None
    if entry is not None and entry.items:
        items = tuple(
            Member(i, None, None, node, node.span.shift(piece.start))
            for i, (piece, node) in enumerate(entry.items)
        )
        return Container(pointer, False, False, Span(items[0].value.start, items[-1].value.end), items)
    located = tree.find(pointer)
    return _node_container(pointer, located) if located is not None else None


def _entry_member(entry: Entry) -> Member:
    value = entry.value.span.shift(entry.piece.start)
    if entry.items:
        (first, top), (last, bottom) = entry.items[0], entry.items[-1]
        value = Span(top.span.shift(first.start).start, bottom.span.shift(last.start).end)
    return Member(entry.key.source, entry.key, entry.key.span.shift(entry.piece.start), entry.value, value)


def _node_container(pointer: Pointer, located: Located) -> Container | None:
    node = located.node
    if node.kind not in {Kind.MAP, Kind.SEQ}:
        return None
    lines = located.value.start.line - node.start.line
    members = tuple(
        Member(part, key, key.span.shift(lines) if key else None, value, value.span.shift(lines))
        for part, key, value in node.children()
    )
    if not members and not node.flow:
        return None
    return Container(pointer, node.kind is Kind.MAP, node.flow, located.value, members)


def member_at(draft: Draft, pointer: Pointer) -> tuple[Container, Member] | None:
    """Return the member at a pointer, and the mapping or list around it."""
    container = container_at(draft, pointer[:-1]) if pointer else None
    index = container.index(pointer[-1]) if container is not None else None
    return (container, container.members[index]) if container is not None and index is not None else None


def bare_span(text: Text, span: Span) -> Span:
    """Return a node's span without its anchor and tag."""
    line = text.line(span.start.line)
    found = _PROPERTIES.match(line, span.start.column)
    start = Place(span.start.line, found.end() if found else span.start.column)
    return Span(min(start, span.end), span.end)


def after_mark(text: Text, member: Member) -> Place | None:
    """Return the place after a key's colon or an item's dash.

    Returns None if it is in an unusual place.
    """
    if member.key is None:
        start = dash_of(text, member)
        return Place(start.line, start.column + 1) if start is not None else None
    end = member.key.end
    found = _COLON.match(text.line(end.line), end.column)
    return Place(end.line, found.end()) if found else None


def dash_of(text: Text, member: Member) -> Place | None:
    """Return the place of a block item's dash.

    Returns None if it is not on the item's first line.
    """
    line, column = member.value.start
    before = text.line(line)[:column].rstrip(" ")
    return Place(line, len(before) - 1) if before.endswith("-") else None


def last_line(text: Text, member: Member) -> int:
    """Return the last line of a block member, with the blank lines that a `|+` keeps."""
    line = max(member.value.end.line, member.key.end.line if member.key else 0)
    header = text.line(member.value.start.line)[member.value.start.column :]
    if member.node.style in {"|", ">"} and _KEEPS_BLANK_LINES.match(header):
        while line + 2 < len(text.lines) and not text.line(line + 1).strip():
            line += 1
    return line


def end_of_line(text: Text, line: int) -> Place:
    """Return the end of a line, before its line end."""
    return Place(line, len(text.line(line)))
