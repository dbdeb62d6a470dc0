"""Find a value of a piece by pointer or by place, with absolute spans.

Apart from `tree`, so that features can name the result without the tree.
"""

from typing import NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind, Node, descend
from waza_lsp.syntax.tree.piece import Piece


class Located(NamedTuple):
    """A value and its key, with absolute spans in the text.

    `on_key`: the place asked about is on the key.
    """

    pointer: Pointer
    node: Node
    key: Span | None
    value: Span
    on_key: bool = False


def locate_below(piece: Piece, node: Node | None, base: Pointer, rest: Pointer) -> Located | None:
    """Follow `rest` from a node of the piece whose pointer is `base`.

    Returns None if it leads nowhere.
    """
    found = descend(node, rest) if node is not None else None
    return _located(piece, (*base, *rest), found[1], found[0], on_key=False) if found is not None else None


def innermost_at(piece: Piece, base: Pointer, offset: int, place: Place) -> Located | None:
    """Return the key or innermost value of a piece at a place; None on blanks and comments.

    `base` is the pointer of the piece's root, and `offset` the index of its first item there.
    """
    root = piece.parsed.root
    if root is None:
        return None
    place = Place(place.line - piece.start, place.column)
    pointer, node, key = base, root, None
    while (step := _step(node, place)) is not None:
        part, key, child = step
        pointer = (*pointer, part + offset if isinstance(part, int) and node is root else part)
        if key is not None and key.span.contains(place):
            return _located(piece, pointer, child, key, on_key=True)
        node = child
    if node.kind in {Kind.SCALAR, Kind.ALIAS} and node.span.contains(place) and not node.is_empty:
        return _located(piece, pointer, node, key, on_key=False)
    return None


def _step(node: Node, place: Place) -> tuple[str | int, Node | None, Node] | None:
    for part, key_node, child in node.children():
        if child.span.contains(place) or (key_node is not None and key_node.span.contains(place)):
            return part, key_node, child
    return None


def _located(piece: Piece, pointer: Pointer, node: Node, key: Node | None, *, on_key: bool) -> Located:
    key_span = key.span.shift(piece.start) if key is not None else None
    return Located(pointer, node, key_span, node.span.shift(piece.start), on_key)
