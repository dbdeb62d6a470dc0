"""The tolerant tree of one text: pieces put together, with a cheap way from a place to data and back.

A tree is immutable. `Tree.of` reuses the pieces of an earlier tree whose lines did not change, so an edit costs
the piece it touches.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from waza_engine.findings import Pointer
from waza_lsp.syntax.cut import Cut, PieceKind, cut
from waza_lsp.syntax.expansion import first_excess
from waza_lsp.syntax.node import Kind, Node, descend
from waza_lsp.syntax.parse import Parsed, parse
from waza_lsp.syntax.problem import Problem
from waza_lsp.syntax.problems import half_key
from waza_lsp.syntax.recut import recut
from waza_lsp.syntax.text import Place, Span

_MOST_JOINED = 3
_SKETCHED = 3
_parsed = lru_cache(maxsize=8192)(parse)


@lru_cache(maxsize=8192)
def _own_data(node: Node) -> Any:
    """Data of a node without aliases; shared between trees, so nobody may change it."""
    return node.data({})


def forget() -> None:
    """Let go of the pieces of all texts: for those who look at each text once."""
    _parsed.cache_clear()
    _own_data.cache_clear()


class Piece(NamedTuple):
    """Whole lines of the text, parsed on their own. Places inside count from line `start`."""

    kind: PieceKind
    start: int
    end: int
    parsed: Parsed

    def shifted(self, lines: int) -> "Piece":
        """The same piece `lines` further down."""
        return Piece(self.kind, self.start + lines, self.end + lines, self.parsed)


class Located(NamedTuple):
    """A value (or the key it stands under) with its absolute places in the text."""

    pointer: Pointer
    node: Node
    key: Span | None
    value: Span
    on_key: bool = False


Items = list[tuple[Piece, Node]]


class Entry(NamedTuple):
    """A top-level key: its node, its value if it stands in the same piece, or the items of its list."""

    key: Node
    piece: Piece
    value: Node
    items: Items
    is_list: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """All pieces of a text and what they add up to.

    `second_document` and `conflict` are the lines of a second `---` and of a merge conflict's start, -1 without one.
    `whole` is the single piece of a document that is no block mapping. `excess` is the line of the alias that makes
    the text stand for too many values, else -1; then no alias is followed. `is_ragged` says that a quote or bracket
    may run across pieces.
    """

    pieces: tuple[Piece, ...]
    second_document: int
    conflict: int
    line_count: int
    whole: Piece | None
    entries: tuple[Entry, ...]
    anchors: dict[str, Node] = field(default_factory=dict)
    excess: int = -1
    is_ragged: bool = False

    @classmethod
    def of(cls, lines: Sequence[str], before: "Tree | None" = None, same: tuple[int, int] = (0, 0)) -> "Tree":
        """The tree of a text.

        Args:
            lines: the text's lines with their ends.
            before: an earlier tree to take unchanged pieces from.
            same: how many lines at the top and at the bottom are those of the earlier text.

        """
        if before is not None and (edited := before.edited(lines, same)) is not None:
            return edited
        layout = cut(lines)
        found = _pieces(lines, layout.cuts, before, same)
        is_ragged = any(it.parsed.unterminated for it in found)
        pieces = _complete(found, lines) if is_ragged else found
        excess, anchors = _names(pieces)
        return cls(
            tuple(pieces),
            layout.second_document,
            layout.conflict,
            len(lines),
            next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            tuple(_entries(pieces)),
            anchors,
            excess,
            is_ragged,
        )

    def filled(self) -> "Tree":
        """The tree of a text whose placeholders are replaced before it is read."""
        pieces = tuple(it._replace(parsed=it.parsed.filled or it.parsed) for it in self.pieces)
        excess, anchors = _names(pieces)
        return replace(
            self,
            pieces=pieces,
            whole=next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            entries=tuple(_entries(pieces)),
            anchors=anchors,
            excess=excess,
        )

    def edited(self, lines: Sequence[str], same: tuple[int, int]) -> "Tree | None":
        """The tree of a text that differs only in some items of one list; None where it may differ in more."""
        if self.is_ragged or self.second_document >= 0 or self.conflict >= 0:
            return None
        found = recut(lines, self.pieces, self.line_count, same)
        if found is None:
            return None
        new = [_piece(lines, it) for it in found.cuts]
        start, end = self.pieces[found.first].start, self.pieces[found.last - 1].end
        lists = [
            it for it in self.entries if it.items and it.items[0][0].start < start <= it.items[-1][0].end
        ]
        if len(lists) != 1 or any(it.parsed.unterminated for it in new):
            return None
        shift = len(lines) - self.line_count
        below = {id(it): it.shifted(shift) for it in self.pieces[found.last :]} if shift else {}
        pieces = (
            *self.pieces[: found.first],
            *new,
            *(below.values() if shift else self.pieces[found.last :]),
        )
        entries = tuple(
            it._replace(items=_spliced(it.items, new, start, end, below))
            if it is lists[0]
            else _moved(it, below)
            for it in self.entries
        )
        excess, anchors = _names(pieces)
        return replace(
            self, pieces=pieces, line_count=len(lines), entries=entries, anchors=anchors, excess=excess
        )

    @property
    def has_alias(self) -> bool:
        return any(it.parsed.has_alias for it in self.pieces)

    def keys(self) -> list[str] | None:
        """The top-level keys in order; None when the top level is a list or a single text."""
        whole = self.whole
        if whole is not None:
            root = whole.parsed.root
            return (
                [key.source for key, _ in root.pairs] if root is not None and root.kind is Kind.MAP else None
            )
        return [it.key.source for it in self.entries]

    def sketch(self) -> dict[str, Any] | None:
        """The top-level keys with their values, of long lists the first items; None like `keys`."""
        if self.whole is not None:
            data = self.data()
            return data if isinstance(data, dict) else None
        return {
            it.key.source: self.entry_data(it._replace(items=it.items[:_SKETCHED])) for it in self.entries
        }

    def data(self) -> Any:
        """Plain data of the whole text; what cannot be read is left out."""
        whole = self.whole
        if whole is not None:
            return whole.parsed.root.data(self.anchors) if whole.parsed.root is not None else None
        result: dict[str, Any] = {}
        for entry in self.entries:
            if entry.key.source not in result:
                result[entry.key.source] = self.entry_data(entry)
        return result

    def entry_data(self, entry: Entry) -> Any:
        """Plain data of one top-level value."""
        if entry.is_list:
            return [self._data(piece, node) for piece, node in entry.items]
        return self._data(entry.piece, entry.value)

    def _data(self, piece: Piece, node: Node) -> Any:
        return node.data(self.anchors) if piece.parsed.has_alias else _own_data(node)

    def problems(self) -> Iterator[tuple[Problem, int]]:
        """Every syntax problem with the line its piece starts at."""
        for piece in self.pieces:
            for problem in piece.parsed.problems:
                yield problem, piece.start

    def find(self, pointer: Pointer) -> Located | None:
        """Where a pointer stands; None when the text has nothing there."""
        whole = self.whole
        if whole is not None:
            return _located(whole, whole.parsed.root, (), pointer)
        if not pointer:
            return None
        entry = next((it for it in self.entries if it.key.source == pointer[0]), None)
        if entry is None:
            return None
        if entry.is_list and len(pointer) > 1:
            index = pointer[1]
            if not isinstance(index, int) or index >= len(entry.items):
                return None
            piece, node = entry.items[index]
            return _located(piece, node, pointer[:2], pointer[2:])
        return (
            self._entry_located(entry)
            if len(pointer) == 1
            else _located(entry.piece, entry.value, pointer[:1], pointer[1:])
        )

    def held(self, pointer: Pointer) -> tuple[Piece, Node, Pointer] | None:
        """The piece that a pointer leads into, the node to start from, and the rest of the way; None for whole lists."""
        if self.whole is not None or not pointer:
            return None
        entry = next((it for it in self.entries if it.key.source == pointer[0]), None)
        if entry is None or (entry.is_list and len(pointer) == 1):
            return None
        if not entry.is_list:
            root = entry.piece.parsed.root
            return (entry.piece, root, pointer) if root is not None else None
        index = pointer[1]
        if not isinstance(index, int) or index >= len(entry.items):
            return None
        return (*entry.items[index], pointer[2:])

    def at(self, place: Place) -> Located | None:
        """The key or the innermost value that the place is on or in; None on blank lines and comments."""
        piece = self.piece_at(place.line)
        if piece is None or piece.parsed.root is None:
            return None
        local = Place(place.line - piece.start, place.column)
        return _innermost(piece, piece.parsed.root, self._base(piece), local)

    def piece_at(self, line: int) -> Piece | None:
        """The piece that holds a line."""
        low, high = 0, len(self.pieces)
        while low < high:
            middle = (low + high) // 2
            if self.pieces[middle].end <= line:
                low = middle + 1
            else:
                high = middle
        return self.pieces[low] if low < len(self.pieces) and self.pieces[low].start <= line else None

    def _entry_located(self, entry: Entry) -> Located:
        key = entry.key.span.shifted(entry.piece.start)
        value = entry.value.span.shifted(entry.piece.start)
        if entry.is_list and entry.items:
            (first, top), (last, bottom) = entry.items[0], entry.items[-1]
            value = Span(top.span.shifted(first.start).start, bottom.span.shifted(last.start).end)
        return Located((entry.key.source,), entry.value, key, value)

    def _base(self, piece: Piece) -> tuple[Pointer, int]:
        """The pointer of a piece's root, and the index of its first item."""
        if piece.kind is PieceKind.ITEM:
            for entry in self.entries:
                if entry.items and entry.items[0][0].start <= piece.start <= entry.items[-1][0].start:
                    for index, (its_piece, _) in enumerate(entry.items):
                        if its_piece is piece:
                            return (entry.key.source,), index
        return (), 0


def _located(piece: Piece, node: Node | None, base: Pointer, rest: Pointer) -> Located | None:
    if node is None:
        return None
    found = descend(node, rest)
    if found is None:
        return None
    key, value = found
    key_span = key.span.shifted(piece.start) if key is not None else None
    return Located((*base, *rest), value, key_span, value.span.shifted(piece.start))


def _innermost(piece: Piece, root: Node, base: tuple[Pointer, int], place: Place) -> Located | None:
    pointer, offset = base
    node, key = root, None
    while True:
        step = _step(node, place)
        if step is None:
            break
        part, key_node, child = step
        if isinstance(part, int) and node is root:
            part += offset
        pointer, key = (*pointer, part), key_node
        if key_node is not None and key_node.span.contains(place):
            return _at(piece, pointer, child, key_node, on_key=True)
        node = child
    if node.kind in {Kind.SCALAR, Kind.ALIAS} and node.span.contains(place) and not node.is_empty:
        return _at(piece, pointer, node, key, on_key=False)
    return None


def _step(node: Node, place: Place) -> tuple[str | int, Node | None, Node] | None:
    for part, key_node, child in node.children():
        if child.span.contains(place) or (key_node is not None and key_node.span.contains(place)):
            return part, key_node, child
    return None


def _at(piece: Piece, pointer: Pointer, node: Node, key: Node | None, *, on_key: bool) -> Located:
    key_span = key.span.shifted(piece.start) if key is not None else None
    return Located(pointer, node, key_span, node.span.shifted(piece.start), on_key)


def _pieces(lines: Sequence[str], cuts: list[Cut], before: Tree | None, same: tuple[int, int]) -> list[Piece]:
    if before is None:
        return [_piece(lines, it) for it in cuts]
    top, bottom = same
    shift = len(lines) - before.line_count
    known = {(it.kind, it.start, it.end): it for it in before.pieces if it.end <= top}
    moved = {
        (it.kind, it.start + shift, it.end + shift): it.parsed
        for it in before.pieces
        if it.start + shift >= len(lines) - bottom
    }
    result: list[Piece] = []
    for it in cuts:
        if it in known:
            result.append(known[it])
        elif it in moved:
            result.append(Piece(*it, moved[it]))
        else:
            result.append(_piece(lines, it))
    return result


def _names(pieces: Sequence[Piece]) -> tuple[int, dict[str, Node]]:
    """The line of the alias that is too much (-1: none), and all anchors that may be followed."""
    if any(it.parsed.has_alias for it in pieces):
        excess = first_excess((it.parsed.root, it.start) for it in pieces if it.parsed.root is not None)
        if excess >= 0:
            return excess, {}
    return -1, {name: node for it in pieces if it.parsed.anchors for name, node in it.parsed.anchors.items()}


def _spliced(items: Items, new: Sequence[Piece], start: int, end: int, below: dict[int, Piece]) -> Items:
    """The items of a list with those of the lines from `start` to `end` replaced."""
    first = bisect_left(items, start, key=_start_of_item)
    last = bisect_left(items, end, key=_start_of_item)
    middle = [(it, node) for it in new if it.parsed.root is not None for node in it.parsed.root.items]
    rest = items[last:]
    return [*items[:first], *middle, *([(below[id(it)], node) for it, node in rest] if below else rest)]


def _start_of_item(item: tuple[Piece, Node]) -> int:
    return item[0].start


def _moved(entry: Entry, below: dict[int, Piece]) -> Entry:
    if id(entry.piece) not in below:
        return entry
    items = [(below[id(it)], node) for it, node in entry.items]
    return entry._replace(piece=below[id(entry.piece)], items=items)


_NOTHING = Parsed(None)


def _piece(lines: Sequence[str], it: Cut) -> Piece:
    if it.kind is PieceKind.SKIPPED:
        return Piece(*it, _NOTHING)
    parsed = _parsed("".join(lines[it.start : it.end]))
    if it.kind is PieceKind.STRAY and not parsed.problems:
        parsed = replace(parsed, problems=(half_key(lines[it.start : it.end], 0, 0),))
    return Piece(*it, parsed)


def _complete(pieces: list[Piece], lines: Sequence[str]) -> list[Piece]:
    """Joins pieces that a quote or a bracket runs across, where that makes them valid."""
    if not any(it.parsed.unterminated for it in pieces):
        return pieces
    result: list[Piece] = []
    index = 0
    while index < len(pieces):
        piece, used = (
            _joined(pieces, index, lines) if pieces[index].parsed.unterminated else (pieces[index], 1)
        )
        result.append(piece)
        index += used
    return result


def _joined(pieces: list[Piece], index: int, lines: Sequence[str]) -> tuple[Piece, int]:
    first = pieces[index]
    for count in range(2, _MOST_JOINED + 2):
        if index + count > len(pieces):
            break
        end = pieces[index + count - 1].end
        parsed = _parsed("".join(lines[first.start : end]))
        if not parsed.problems:
            return Piece(first.kind, first.start, end, parsed), count
    return first, 1


def _entries(pieces: Sequence[Piece]) -> Iterator[Entry]:
    items: list[tuple[Piece, Node]] = []
    for piece in pieces:
        root = piece.parsed.root
        if root is None or piece.kind in {PieceKind.WHOLE, PieceKind.SKIPPED}:
            continue
        if piece.kind is PieceKind.ITEM:
            items.extend((piece, it) for it in root.items)
        elif root.kind is Kind.MAP:
            is_list = piece.kind is PieceKind.HEAD
            if is_list:
                items = []
            for key, value in root.pairs:
                yield Entry(key, piece, value, items if is_list else [], is_list)
