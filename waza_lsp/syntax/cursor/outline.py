"""Read the block structure of lines from their columns, even in broken text.

Lines inside block scalars, quotes and brackets are skipped. A line whose column fits no container belongs to the
nearest one. Only the cursor's line is special: its entries are reported separately.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from waza_lsp.syntax.cursor.flow import Lines, ValueEnds
from waza_lsp.syntax.cursor.rows import Row, row_of, scalar_value
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.tree.node import Node

_ALIAS = re.compile(r"\*([^\s,\[\]{}]+)")


class Shape(StrEnum):
    """The two containers of YAML."""

    MAP = "map"
    SEQ = "seq"


@dataclass(slots=True, eq=False)
class Entry:
    """A pair of a map or an item of a sequence.

    `value` is the source of a one-line value.
    """

    container: "Container"
    part: str | int
    row: Row
    value: str = ""
    value_row: Row | None = None
    """The line on which the value starts."""
    child: "Container | None" = None
    is_doubtful: bool = False
    """The value is on its own line or next to a dash, so it may be an unfinished line instead."""

    @property
    def is_empty(self) -> bool:
        """Whether its value is missing."""
        return not self.value

    def set_child(self, child: "Container") -> None:
        """Set a map or list as the value.

        A value seen before was the unfinished first line of the child.
        """
        self.value, self.value_row, self.child, self.is_doubtful = "", None, child, False


@dataclass(slots=True, eq=False)
class Container:
    """A map or sequence whose entries start in `column`, the value of the entry `owner`."""

    shape: Shape
    column: int
    owner: Entry | None
    first: int = 0
    """The index of the first item, if earlier items are not among the lines."""
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_stray(self) -> bool:
        """Whether it is a single dash with a word.

        A key in its column then shows that a map was meant.
        """
        if self.shape is Shape.MAP or self.owner is None or self.first or len(self.entries) != 1:
            return False
        return self.column > self.owner.container.column and self.entries[0].child is None

    def data(self, anchors: dict[str, Node], without: Entry | None = None) -> Any:
        """Return keys with their one-line values and merged keys.

        Deeper values are empty maps or lists.
        """
        if self.shape is Shape.SEQ:
            return [None] * (self.first + len(self.entries))
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for it in self.entries:
            if it.part == "<<":
                merged |= _merged_keys(it.value, anchors)
            elif it is not without:
                own.setdefault(str(it.part), _shallow(it, anchors))
        return {**merged, **own}


@dataclass(slots=True, eq=False)
class Outline:
    """The block structure, and the entries around the cursor's line."""

    root: Container | None = None
    open: list[Container] = field(default_factory=list)
    """The containers open at the start of the cursor's line, outermost first."""
    last: Entry | None = None
    """The last entry that starts above the cursor's line."""
    next: Entry | None = None
    """The first entry that starts below it."""
    next_row: Row | None = None
    """The first line with content below it."""
    here: list[Entry] = field(default_factory=list)
    """The entries that start on the cursor's line, outermost first."""
    row: Row | None = None
    """The cursor's line."""
    inside: Entry | None = None
    """The entry whose quoted text, brackets or block scalar contains the cursor's line."""
    start: Row | None = None
    """The line where the value on the cursor's line starts; may be the cursor's line itself."""
    end: int = 0
    """The last line of the value that starts in `start`."""


def outline(lines: Lines, cursor: Place, *, first: int = 0, tab: int = 2) -> Outline:
    """Return the outline of lines around a cursor.

    `first` is the index of the first item of a top-level list.
    """
    builder, ends = _Builder(first), ValueEnds(lines, cursor)
    result = Outline()
    at = 0
    while at < len(lines):
        number, text = lines[at]
        counted = row_of(number, text, tab)
        row = builder.align(counted, lines, at, tab, typing=number == cursor.line)
        if number == cursor.line:
            _record_surroundings(result, builder, row)
        found = [] if row.is_blank else builder.add_row(row, text, typing=number == cursor.line)
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
                _record_surroundings(result, builder, row_of(inner, inner_text, tab))
                result.inside = newest
        at = end
    result.root = builder.root
    return result


def _row_below(lines: Lines, at: int, tab: int) -> Row | None:
    """Return the next line with content."""
    rows = (row_of(*lines[it], tab) for it in range(at + 1, len(lines)))
    return next((it for it in rows if not it.is_blank), None)


def _record_surroundings(result: Outline, builder: "_Builder", row: Row) -> None:
    result.row, result.open, result.last = row, list(builder.stack), builder.newest


class _Builder:
    """Puts rows into containers by their columns."""

    def __init__(self, first: int) -> None:
        self.root: Container | None = None
        self.stack: list[Container] = []
        self.newest: Entry | None = None
        self._first = first
        self._moved = 0
        """How many columns the latest tab-indented line was moved by."""

    def align(self, row: Row, lines: Lines, at: int, tab: int, *, typing: bool) -> Row:
        """Move a tab-indented line to the column that was probably meant.

        Among lines with spaces, the line joins the entries above it. Below another tab-indented line, it moves as far as
        that one did.
        """
        newest = self.newest
        if newest is None or not row.shift or (row.is_blank and not typing):
            return row
        if not newest.row.shift:
            column = self._least_column(
                newest, row, tab, None if typing else _row_below(lines, at, tab), typing=typing
            )
            self._moved = max(0, column - row.column)
        return row._replace(shift=row.shift + self._moved) if self._moved else row

    def _least_column(self, newest: Entry, row: Row, tab: int, below: Row | None, *, typing: bool) -> int:
        """Return the least column of a tab-indented line below one with spaces.

        The line must not close any container.
        """
        column = newest.container.column
        if newest.is_empty and newest.child is None:
            return column + tab if row.column < column + bool(row.dashes) else 0
        if typing:
            return 0  # The unwritten line may be meant to be further out.
        shape = Shape.SEQ if row.dashes else Shape.MAP
        columns = [it.column for it in reversed(self.stack) if it.shape is shape]
        column_below = _column_from_below(row, below, columns)
        if column_below is not None:
            return column_below
        # One tab alone may mean any column. Several tabs that fit count, and so does one with deeper tabs below.
        is_step = below is not None and bool(below.shift) and below.column > row.column
        if row.column in columns and (is_step or row.shift >= 2 * (tab - 1)):
            return 0
        return columns[0] if columns else 0

    def add_row(self, row: Row, text: str, *, typing: bool) -> list[Entry]:
        """Add the entries of a row.

        A bare value on the line being typed does not count yet.
        """
        found = [self._add(Shape.SEQ, it + row.shift, row, None) for it in row.dashes]
        if row.key is not None:
            column = row.mark if row.explicit else row.start
            found.append(self._add(Shape.MAP, column + row.shift, row, row.key))
        added = [it for it in found if it is not None]
        if row.key is not None or row.dashes:
            if added and added[-1] is found[-1] and (row.key is not None or not typing):
                _set_value(added[-1], row, text)
        elif not typing and (owner := self._owner_of_value(row)) is not None:
            _set_value(owner, row, text)
        return added

    def _owner_of_value(self, row: Row) -> Entry | None:
        """Return the entry whose value is a line without key or dash."""
        newest = self.newest
        if newest is None or not newest.is_empty or newest.child is not None:
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
        """Return the container for an entry in a column, or None."""
        left = None
        while self.stack and self.stack[-1].column > column:
            left = self.stack.pop()
        if not self.stack:
            return self._at_root(shape, column)
        top = self.stack[-1]
        if top.column == column and top.shape is shape:
            return top
        if top.column == column and top.shape is Shape.SEQ and len(self.stack) > 1:
            # A list in its parent's column ends here.
            self.stack.pop()
            if top.owner is not None and top.is_stray:
                return self._open(top.owner, Container(shape, column, top.owner))
            return self._container(shape, column)
        return self._below(top, shape, column, left)

    def _at_root(self, shape: Shape, column: int) -> Container | None:
        if self.root is None:
            self.root = Container(shape, column, None)
        self.stack.append(self.root)
        return self.root if self.root.shape is shape else None

    def _below(self, top: Container, shape: Shape, column: int, left: Container | None) -> Container | None:
        owner = top.entries[-1]
        if owner.child is None and (owner.is_empty or (owner.is_doubtful and column > top.column)):
            is_top_list = shape is Shape.SEQ and top is self.root
            return self._open(owner, Container(shape, column, owner, self._first if is_top_list else 0))
        if left is not None and left.owner is owner and left.shape is shape:
            self.stack.append(left)
            return left
        return top if top.shape is shape else None

    def _open(self, owner: Entry, child: Container) -> Container:
        owner.set_child(child)
        self.stack.append(child)
        return child


def _merged_keys(source: str, anchors: dict[str, Node]) -> dict[str, Any]:
    """Return the keys that a merge key adds; the first of several maps wins."""
    found = [anchors[it].data(anchors) for it in reversed(_ALIAS.findall(source)) if it in anchors]
    return {key: value for it in found if isinstance(it, dict) for key, value in it.items()}


def _shallow(entry: Entry, anchors: dict[str, Node]) -> Any:
    if entry.child is not None:
        return {} if entry.child.shape is Shape.MAP else []
    source = entry.value
    if source[:1] == "*" and (node := anchors.get(source[1:])) is not None:
        return node.data(anchors)
    return {"": None, "{": {}, "[": []}[source[:1]] if source[:1] in {"", "{", "["} else scalar_value(source)


def _column_from_below(row: Row, below: Row | None, columns: list[int]) -> int | None:
    """Return the column that fits the line below; None if that line does not decide."""
    if below is None or below.shift or row.key is None:
        return None
    if not row.dashes:
        return None if row.has_value else next((it for it in columns if it < below.column), None)
    column = below.column - (row.start - row.dashes[0])
    return column if not below.dashes and column in columns else None


def _set_value(entry: Entry, row: Row, text: str) -> None:
    entry.value, entry.value_row = text[row.value : row.end], row
    entry.is_doubtful = row.has_value and row.key is None
