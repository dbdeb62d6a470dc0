"""The block structure of some lines by their columns alone, so that it is there however broken the text is.

Lines inside block scalars, quotes and brackets are skipped. A line in a column that fits no container belongs to
the nearest one. Only one line, the cursor's, is treated specially: what it holds is kept apart.

Maps and lists of an outline, with what their lines tell of their values.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from waza_lsp.syntax.cursor.flow import ValueEnds
from waza_lsp.syntax.cursor.rows import Row, row_of, scalar_value
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Node


class Shape(StrEnum):
    """The two containers of YAML."""

    MAP = "map"
    SEQ = "seq"


@dataclass(slots=True, eq=False)
class Entry:
    """A pair of a map or an item of a sequence. `value` is the one-line source of its value, if any."""

    container: "Container"
    part: str | int
    row: Row
    value: str = ""
    value_row: Row | None = None
    """The line on which the value starts."""
    child: "Container | None" = None
    is_doubtful: bool = False
    """The value stands on a line of its own or beside a dash: an unfinished line may look like that, too."""

    @property
    def can_hold(self) -> bool:
        """Whether nothing stands where its value would."""
        return not self.value

    def hold(self, child: "Container") -> None:
        """Take a map or list as the value; what looked like one was the child's first line, unfinished."""
        self.value, self.value_row, self.child, self.is_doubtful = "", None, child, False


@dataclass(slots=True, eq=False)
class Container:
    """A map or sequence whose entries start in `column`; `owner` is the entry that it is the value of."""

    shape: Shape
    column: int
    owner: Entry | None
    first: int = 0
    """The index of the first item, when earlier ones are not among the lines."""
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_stray(self) -> bool:
        """Whether it is a single dash with a word, where a key in its column tells that a map was meant."""
        if self.shape is Shape.MAP or self.owner is None or self.first or len(self.entries) != 1:
            return False
        return self.column > self.owner.container.column and self.entries[0].child is None

    def data(self, anchors: dict[str, Node], without: Entry | None = None) -> Any:
        """Keys with their one-line values; what lies deeper is an empty map or list. Merge keys are applied."""
        if self.shape is Shape.SEQ:
            return [None] * (self.first + len(self.entries))
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for it in self.entries:
            if it.part == "<<":
                merged |= _merged(it.value, anchors)
            elif it is not without:
                own.setdefault(str(it.part), _shallow(it, anchors))
        return {**merged, **own}


_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


def _merged(source: str, anchors: dict[str, Node]) -> dict[str, Any]:
    """What the value of a merge key brings: of several maps the first has the last word."""
    found = [anchors[it].data(anchors) for it in reversed(_ALIAS.findall(source)) if it in anchors]
    return {key: value for it in found if isinstance(it, dict) for key, value in it.items()}


def _shallow(entry: Entry, anchors: dict[str, Node]) -> Any:
    if entry.child is not None:
        return {} if entry.child.shape is Shape.MAP else []
    source = entry.value
    if source[:1] == "*" and (node := anchors.get(source[1:])) is not None:
        return node.data(anchors)
    return {"": None, "{": {}, "[": []}[source[:1]] if source[:1] in {"", "{", "["} else scalar_value(source)


Lines = Sequence[tuple[int, str]]
"""Line numbers with their texts, without line ends; numbers may skip."""


@dataclass(slots=True, eq=False)
class Outline:
    """The structure, and what surrounds the cursor's line."""

    root: Container | None = None
    open: list[Container] = field(default_factory=list)
    """The containers that are open where the cursor's line starts, outermost first."""
    last: Entry | None = None
    """The entry that starts last above the cursor's line."""
    next: Entry | None = None
    """The entry that starts first below it."""
    next_row: Row | None = None
    """The first line with content below it."""
    here: list[Entry] = field(default_factory=list)
    """The entries that start on the cursor's line, outermost first."""
    row: Row | None = None
    """The cursor's line."""
    inside: Entry | None = None
    """The entry whose quotes, brackets or block scalar the cursor's line is inside."""
    start: Row | None = None
    """The line that the cursor's one goes on from, or that itself."""
    end: int = 0
    """The last line that goes on from `start`."""


def outline(lines: Lines, cursor: Place, *, first: int = 0, tab: int = 2) -> Outline:
    """The outline of some lines around a cursor; `first` is the index of a top-level list's first item."""
    builder, ends = _Builder(first), ValueEnds(lines, cursor)
    result = Outline()
    at = 0
    while at < len(lines):
        number, text = lines[at]
        counted = row_of(number, text, tab)
        row = builder.aligned(counted, lines, at, tab, typing=number == cursor.line)
        if number == cursor.line:
            _reach(result, builder, row)
        found = [] if row.is_blank else builder.take(row, text, typing=number == cursor.line)
        if number == cursor.line:
            result.here = found
        elif number > cursor.line and not row.is_blank:
            result.next_row = result.next_row or row
            result.next = result.next or (found[0] if found else None)
        newest = found[-1] if found else builder.newest
        end = at + 1
        if row.has_value and (newest is not None or text[row.value] in "[{"):
            base = newest.container.column if newest is not None else -1
            end = ends.end(at, row, base if row is counted else counted.column)
        if number <= cursor.line <= lines[end - 1][0]:
            result.start, result.end = row, lines[end - 1][0]
        for inner, inner_text in lines[at + 1 : end]:
            if inner == cursor.line:
                _reach(result, builder, row_of(inner, inner_text, tab))
                result.inside = newest
        at = end
    result.root = builder.root
    return result


def _row_below(lines: Lines, at: int, tab: int) -> Row | None:
    """The next line with content."""
    rows = (row_of(*lines[it], tab) for it in range(at + 1, len(lines)))
    return next((it for it in rows if not it.is_blank), None)


def _reach(result: Outline, builder: "_Builder", row: Row) -> None:
    result.row, result.open, result.last = row, list(builder.stack), builder.newest


class _Builder:
    """Puts rows into containers by their columns."""

    def __init__(self, first: int) -> None:
        self.root: Container | None = None
        self.stack: list[Container] = []
        self.newest: Entry | None = None
        self._first = first
        self._moved = 0
        """How many columns the latest line that tabs indent was moved by."""

    def aligned(self, row: Row, lines: Lines, at: int, tab: int, *, typing: bool) -> Row:
        """A line that tabs indent, in the column that was meant: among lines with blanks a tab may be any number of them.

        There it goes on with what stands above it. Below another line with tabs it is counted as that one was.
        """
        newest = self.newest
        if newest is None or not row.shift or (row.is_blank and not typing):
            return row
        if not newest.row.shift:
            column = self._beside(
                newest, row, tab, None if typing else _row_below(lines, at, tab), typing=typing
            )
            self._moved = max(0, column - row.column)
        return row._replace(shift=row.shift + self._moved) if self._moved else row

    def _beside(self, newest: Entry, row: Row, tab: int, below: Row | None, *, typing: bool) -> int:
        """The column of the first line with tabs below one with blanks, at least; it must not close anything."""
        column = newest.container.column
        if newest.can_hold and newest.child is None:
            return column + tab if row.column < column + bool(row.dashes) else 0
        if typing:
            return 0  # What is not written yet may well be meant to stand further out.
        shape = Shape.SEQ if row.dashes else Shape.MAP
        columns = [it.column for it in reversed(self.stack) if it.shape is shape]
        told = _told_below(row, below, columns)
        if told is not None:
            return told
        # One tab may be anything; several that fit are counted, and one with more of them below it.
        is_step = below is not None and bool(below.shift) and below.column > row.column
        if row.column in columns and (is_step or row.shift >= 2 * (tab - 1)):
            return 0
        return columns[0] if columns else 0

    def take(self, row: Row, text: str, *, typing: bool) -> list[Entry]:
        """Add what a row holds; a bare value on the line that is being typed is no value yet."""
        found = [self._add(Shape.SEQ, it + row.shift, row, None) for it in row.dashes]
        if row.key is not None:
            column = row.mark if row.explicit else row.start
            found.append(self._add(Shape.MAP, column + row.shift, row, row.key))
        added = [it for it in found if it is not None]
        if row.key is not None or row.dashes:
            if added and added[-1] is found[-1] and (row.key is not None or not typing):
                _write(added[-1], row, text)
        elif not typing and (owner := self._continued(row)) is not None:
            _write(owner, row, text)
        return added

    def _continued(self, row: Row) -> Entry | None:
        """The entry whose value a line without key or dash brings."""
        newest = self.newest
        if newest is None or not newest.can_hold or newest.child is not None:
            return None
        return newest if row.column >= newest.container.column + (not row.explicit) else None

    def _add(self, shape: Shape, column: int, row: Row, key: str | None) -> Entry | None:
        container = self._container(shape, column)
        if container is None:
            return None
        part = container.first + len(container.entries) if key is None else key
        entry = Entry(container, part, row)
        container.entries.append(entry)
        self.newest = entry
        return entry

    def _container(self, shape: Shape, column: int) -> Container | None:
        """The container that an entry in a column belongs to; None where there can be none."""
        left = None
        while self.stack and self.stack[-1].column > column:
            left = self.stack.pop()
        if not self.stack:
            return self._at_root(shape, column)
        top = self.stack[-1]
        if top.column == column and top.shape is shape:
            return top
        if top.column == column and top.shape is Shape.SEQ and len(self.stack) > 1:
            # A list in its parent's column has ended.
            self.stack.pop()
            if top.owner is not None and top.is_stray:
                return self._opened(top.owner, Container(shape, column, top.owner))
            return self._container(shape, column)
        return self._below(top, shape, column, left)

    def _at_root(self, shape: Shape, column: int) -> Container | None:
        if self.root is None:
            self.root = Container(shape, column, None)
        self.stack.append(self.root)
        return self.root if self.root.shape is shape else None

    def _below(self, top: Container, shape: Shape, column: int, left: Container | None) -> Container | None:
        owner = top.entries[-1]
        if owner.child is None and (owner.can_hold or (owner.is_doubtful and column > top.column)):
            is_top_list = shape is Shape.SEQ and top is self.root
            return self._opened(owner, Container(shape, column, owner, self._first if is_top_list else 0))
        if left is not None and left.owner is owner and left.shape is shape:
            self.stack.append(left)
            return left
        return top if top.shape is shape else None

    def _opened(self, owner: Entry, child: Container) -> Container:
        owner.hold(child)
        self.stack.append(child)
        return child


def _told_below(row: Row, below: Row | None, columns: list[int]) -> int | None:
    """The one of some columns, innermost first, that goes with what stands below a line, if that tells."""
    if below is None or below.shift or row.key is None:
        return None
    if not row.dashes:
        return None if row.has_value else next((it for it in columns if it < below.column), None)
    column = below.column - (row.start - row.dashes[0])
    return column if not below.dashes and column in columns else None


def _write(entry: Entry, row: Row, text: str) -> None:
    entry.value, entry.value_row = text[row.value : row.end], row
    entry.is_doubtful = row.has_value and row.key is None
