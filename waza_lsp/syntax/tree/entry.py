"""A top-level key of a block mapping, with the pieces of its value."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from waza_engine.lib.queries.items import Items, items_after
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import PieceKind


class Entry(NamedTuple):
    """A top-level key with its value or the items of its list."""

    key: Node
    piece: Piece
    value: Node
    items: Items[tuple[Piece, Node]]
    is_list: bool

    def splice(self, new: Sequence[Piece], start: int, end: int, below: Mapping[int, Piece]) -> "Entry":
        """Return the entry with other pieces in the lines from `start` to `end`.

        `below` maps the id of each piece that moved to the moved piece.
        """
        first = bisect_left(self.items, start, key=_start_of_item)
        last = bisect_left(self.items, end, key=_start_of_item)
        middle = [(it, node) for it in new if it.parsed.root is not None for node in it.parsed.root.items]
        rest = self.items[last:]
        moved = [(below[id(it)], node) for it, node in rest] if below else rest
        return self._replace(items=items_after([*self.items[:first], *middle, *moved], self.items))

    def relocate(self, below: Mapping[int, Piece]) -> "Entry":
        """Return the entry with its moved pieces."""
        if id(self.piece) not in below:
            return self
        items = Items((below[id(it)], node) for it, node in self.items)
        return self._replace(piece=below[id(self.piece)], items=items)


def entries_of(pieces: Sequence[Piece]) -> Iterator[Entry]:
    """Yield the top-level keys of a block mapping, in order."""
    items = Items[tuple[Piece, Node]]()
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
