"""The block structure of some lines by their columns alone, so that it is there however broken the text is.

Lines inside block scalars, quotes and brackets are skipped. A line in a column that fits no container belongs to
the nearest one. Only one line, the cursor's, is treated specially: what it holds is kept apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from waza_lsp.syntax.node import Node
from waza_lsp.syntax.rows import Row, row_of, scalar_value
from waza_lsp.syntax.text import Place
from waza_lsp.syntax.value_end import ValueEnds

Lines = Sequence[tuple[int, str]]
"""Line numbers with their texts, without line ends; numbers may skip."""


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
        row = row_of(number, text, tab)
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
            end = ends.end(at, row, newest.container.column if newest is not None else -1)
        if number <= cursor.line <= lines[end - 1][0]:
            result.start, result.end = row, lines[end - 1][0]
        for inner, inner_text in lines[at + 1 : end]:
            if inner == cursor.line:
                _reach(result, builder, row_of(inner, inner_text, tab))
                result.inside = newest
        at = end
    result.root = builder.root
    return result


def _reach(result: Outline, builder: "_Builder", row: Row) -> None:
    result.row, result.open, result.last = row, list(builder.stack), builder.newest


class _Builder:
    """Puts rows into containers by their columns."""

    def __init__(self, first: int) -> None:
        self.root: Container | None = None
        self.stack: list[Container] = []
        self.newest: Entry | None = None
        self._first = first

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


def _write(entry: Entry, row: Row, text: str) -> None:
    entry.value, entry.value_row = text[row.value : row.end], row
    entry.is_doubtful = row.has_value and row.key is None


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
