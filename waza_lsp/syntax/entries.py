"""The top-level keys of a text, and the items of their lists, which are pieces of their own."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from waza_engine.checking.carried import Carried, carried
from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.piece import Piece

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
