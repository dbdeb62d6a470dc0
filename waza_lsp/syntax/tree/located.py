"""A value with its places in the text, found in a piece by its pointer or by a place."""

from typing import NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind, Node, descend
from waza_lsp.syntax.tree.piece import Piece


class Located(NamedTuple):
    """A value (or the key it stands under) with its absolute places in the text."""

    pointer: Pointer
    node: Node
    key: Span | None
    value: Span
    on_key: bool = False


def located_below(piece: Piece, node: Node | None, base: Pointer, rest: Pointer) -> Located | None:
    """What `rest` leads to from a node of the piece, which stands at `base`; None when nothing is there."""
    found = descend(node, rest) if node is not None else None
    return _located(piece, (*base, *rest), found[1], found[0], on_key=False) if found is not None else None


def innermost(piece: Piece, base: Pointer, offset: int, place: Place) -> Located | None:
    """The key or the innermost value of a piece that a place of the text is on or in; None on blanks and comments.

    The piece's root stands at `base`; its first item, if it has items, is the one with the index `offset` there.
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
    key_span = key.span.shifted(piece.start) if key is not None else None
    return Located(pointer, node, key_span, node.span.shifted(piece.start), on_key)
