"""The tolerant tree of one text: pieces put together, with a cheap way from a place to data and back.

A tree is immutable. `Tree.of` reuses the pieces of an earlier tree whose lines did not change, so an edit costs
the piece it touches.

The top-level keys of a text, and the items of their lists, which are pieces of their own.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from waza_engine.lib.pointer import Pointer
from waza_engine.project.memo_list import Carried, carried
from waza_lsp.syntax.errors.hints import Problem
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.aliases import endless_aliases, first_excess, unknown_aliases
from waza_lsp.syntax.tree.located import Located, innermost, located_below
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece, completed, piece_of, pieces_of
from waza_lsp.syntax.tree.split import PieceKind, beginning, cut, recut

Items = Carried[tuple[Piece, Node]]
"""Pairs of a piece and a node in it."""


class Entry(NamedTuple):
    """A top-level key: its node, its value if it stands in the same piece, or the items of its list."""

    key: Node
    piece: Piece
    value: Node
    items: Items
    is_list: bool

    def spliced(self, new: Sequence[Piece], start: int, end: int, below: Mapping[int, Piece]) -> "Entry":
        """The entry with other pieces in the lines from `start` to `end`.

        `below` are the pieces that stand elsewhere now, by the id of what they were; empty when none do.
        """
        first = bisect_left(self.items, start, key=_start_of_item)
        last = bisect_left(self.items, end, key=_start_of_item)
        middle = [(it, node) for it in new if it.parsed.root is not None for node in it.parsed.root.items]
        rest = self.items[last:]
        moved = [(below[id(it)], node) for it, node in rest] if below else rest
        return self._replace(items=carried([*self.items[:first], *middle, *moved], self.items))

    def moved(self, below: Mapping[int, Piece]) -> "Entry":
        """The entry where it stands now."""
        if id(self.piece) not in below:
            return self
        items = Carried((below[id(it)], node) for it, node in self.items)
        return self._replace(piece=below[id(self.piece)], items=items)


def entries(pieces: Sequence[Piece]) -> Iterator[Entry]:
    """The top-level keys of a text, in order; none of one that is no block mapping."""
    items = Items()
    for piece in pieces:
        root = piece.parsed.root
        if root is None or piece.kind in {PieceKind.WHOLE, PieceKind.SKIPPED}:
            continue
        if piece.kind is PieceKind.ITEM:
            items.extend((piece, it) for it in root.items)
        elif root.kind is Kind.MAP:
            is_list = piece.kind is PieceKind.HEAD
            if is_list:
                items = Items()
            for key, value in root.pairs:
                yield Entry(key, piece, value, items if is_list else Items(), is_list)


def _start_of_item(item: tuple[Piece, Node]) -> int:
    return item[0].start


_SKETCHED = 3
_MANY = 100


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Tree:
    """All pieces of a text and what they add up to.

    `second_document` and `conflict` are the lines of a second `---` and of a merge conflict's start, -1 without one.
    `whole` is the single piece of a document that is no block mapping. `excess` is the line of the alias that makes
    the text stand for too many values, else -1; then no alias is followed. `is_ragged` says that a quote or bracket
    may run across pieces. `is_cut_off` says that the text is too large, and only its beginning was read. `has_alias`
    says that a value stands for another one, `is_fillable` that a piece reads otherwise with its placeholders filled.
    `is_more` says that something is written in a second document.
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
    is_cut_off: bool = False
    has_alias: bool = False
    is_fillable: bool = False
    is_more: bool = False

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
        found, count = (before.pieces, before.line_count) if before is not None else ((), 0)
        pieces = list(pieces_of(lines, layout.cuts, found, count, same))
        is_ragged = any(it.parsed.unterminated for it in pieces)
        if is_ragged:
            pieces = list(completed(pieces, lines))
        excess, anchors = _names(pieces)
        return cls(
            tuple(pieces),
            layout.second_document,
            layout.conflict,
            len(lines),
            next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            tuple(entries(pieces)),
            anchors,
            excess,
            is_ragged,
            has_alias=_has_alias(pieces),
            is_fillable=_is_fillable(pieces),
            is_more=layout.is_more,
        )

    @classmethod
    def of_beginning(cls, lines: Sequence[str]) -> "Tree":
        """The tree of the beginning of a text that is too large to be read."""
        return replace(cls.of(beginning(lines)), is_cut_off=True)

    def filled(self) -> "Tree":
        """The tree of a text whose placeholders are replaced before it is read."""
        pieces = tuple(it._replace(parsed=it.parsed.filled or it.parsed) for it in self.pieces)
        excess, anchors = _names(pieces)
        return replace(
            self,
            pieces=pieces,
            whole=next((it for it in pieces if it.kind is PieceKind.WHOLE), None),
            entries=tuple(entries(pieces)),
            anchors=anchors,
            excess=excess,
            has_alias=_has_alias(pieces),
            is_fillable=False,
        )

    def edited(self, lines: Sequence[str], same: tuple[int, int]) -> "Tree | None":
        """The tree of a text that differs only in some items of one list; None where it may differ in more."""
        if self.is_ragged or self.second_document >= 0 or self.conflict >= 0:
            return None
        found = recut(lines, self.pieces, self.line_count, same)
        if found is None:
            return None
        new = [piece_of(lines, it) for it in found.cuts]
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
        keys = tuple(
            it.spliced(new, start, end, below) if it is lists[0] else it.moved(below) for it in self.entries
        )
        is_plain = not (self.has_alias or self.anchors or _has_alias(new)) and not any(
            it.parsed.anchors for it in new
        )
        excess, anchors = (-1, self.anchors) if is_plain else _names(pieces)
        return replace(
            self,
            pieces=pieces,
            line_count=len(lines),
            entries=keys,
            anchors=anchors,
            excess=excess,
            has_alias=not is_plain and _has_alias(pieces),
            is_fillable=_is_fillable(pieces if self.is_fillable else new),
        )

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
        """The top-level keys with their values, of long lists the first items; None like `keys`.

        Keys in no column of their neighbours are among them, without what stands below.
        """
        if self.whole is not None:
            data = self.data()
            return data if isinstance(data, dict) else None
        strays = (it.parsed.stray_key for it in self.pieces if it.kind is PieceKind.PAIR)
        return {it.name: None for it in strays if it is not None} | {
            it.key.source: self.entry_data(it._replace(items=Items(it.items[:_SKETCHED])))
            for it in self.entries
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
        if entry.is_list and not self.has_alias:
            return [node.own_data() for _, node in entry.items]
        if entry.is_list:
            return [self._data(piece, node) for piece, node in entry.items]
        return self._data(entry.piece, entry.value)

    def _data(self, piece: Piece, node: Node) -> Any:
        return node.data(self.anchors) if piece.parsed.has_alias else node.own_data()

    def problems(self) -> Iterator[tuple[Problem, int]]:
        """Every syntax problem with the line its piece starts at."""
        for piece in self.pieces:
            for problem in piece.parsed.problems:
                yield problem, piece.start

    def find(self, pointer: Pointer) -> Located | None:
        """Where a pointer stands; None when the text has nothing there."""
        whole = self.whole
        if whole is not None:
            return located_below(whole, whole.parsed.root, (), pointer)
        if not pointer:
            return None
        entry = self.entry(pointer[0])
        if entry is None:
            return None
        if entry.is_list and len(pointer) > 1:
            index = pointer[1]
            if not isinstance(index, int) or index >= len(entry.items):
                return None
            piece, node = entry.items[index]
            return located_below(piece, node, pointer[:2], pointer[2:])
        return (
            self._entry_located(entry)
            if len(pointer) == 1
            else located_below(entry.piece, entry.value, pointer[:1], pointer[1:])
        )

    def entry(self, key: str | int) -> Entry | None:
        """The first entry with a key."""
        if len(self.entries) <= _MANY:
            return next((it for it in self.entries if it.key.source == key), None)
        known = _first_entries.get(self)
        if known is None:
            known = _first_entries[self] = {it.key.source: it for it in reversed(self.entries)}
        return known.get(str(key))

    def held(self, pointer: Pointer) -> tuple[Piece, Node, Pointer] | None:
        """The piece that a pointer leads into, the node to start from, and the rest of the way; None for whole lists."""
        if self.whole is not None or not pointer:
            return None
        entry = self.entry(pointer[0])
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
        return innermost(piece, *self._base(piece), place) if piece is not None else None

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


def _names(pieces: Sequence[Piece]) -> tuple[int, dict[str, Node]]:
    """The line of the alias that is too much (-1: none), and all anchors that may be followed."""
    if _has_alias(pieces):
        excess = first_excess((it.parsed.root, it.start) for it in pieces if it.parsed.root is not None)
        if excess >= 0:
            return excess, {}
        # Where one of its aliases is wrong, it is not known what the others mean.
        wrong = {name for name, _ in (*unknown_aliases(pieces), *endless_aliases(pieces))}
        return -1, {name: node for name, node in _anchors(pieces) if name not in wrong}
    return -1, dict(_anchors(pieces))


def _anchors(pieces: Sequence[Piece]) -> Iterator[tuple[str, Node]]:
    for it in pieces:
        yield from it.parsed.anchors.items()


def _has_alias(pieces: Iterable[Piece]) -> bool:
    return any(it.parsed.has_alias for it in pieces)


def _is_fillable(pieces: Iterable[Piece]) -> bool:
    return any(it.parsed.filled for it in pieces)


_first_entries: WeakKeyDictionary[Tree, dict[str, Entry]] = WeakKeyDictionary()
"""Of trees with more keys than any eval has."""
