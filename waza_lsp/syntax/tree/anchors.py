"""Anchors and aliases of a text: where an anchor stands, what it names, and who uses it."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree


class Anchor(NamedTuple):
    """An anchor: the span of its `&name`, and its value with its own span."""

    name: Span
    node: Node
    value: Span


def anchor_of(tree: Tree, text: Text, name: str, before: Place) -> Anchor | None:
    """The anchor that `*name` at a place means: the last one above it."""
    for piece in reversed(tree.pieces):
        node = piece.parsed.anchors.get(name)
        if node is not None and node.start.line + piece.start <= before.line:
            return _anchor(text, piece, node)
    return None


def anchor_at(tree: Tree, text: Text, place: Place) -> Anchor | None:
    """The anchor whose `&name` the place is on."""
    piece = tree.piece_at(place.line)
    if piece is None:
        return None
    found = (_anchor(text, piece, it) for it in piece.parsed.anchors.values())
    return next((it for it in found if it is not None and it.name.contains(place)), None)


def aliases(tree: Tree, name: str) -> Iterator[Span]:
    """Every `*name` of the text."""
    for piece in tree.pieces:
        if piece.parsed.has_alias and piece.parsed.root is not None:
            for node in piece.parsed.root.walk():
                if node.kind is Kind.ALIAS and node.source == name:
                    yield node.span.shifted(piece.start)


def anchored_text(text: Text, anchor: Anchor, most: int) -> str:
    """The lines of an anchor's value, moved to the left edge; no more than `most` of them."""
    (first, start), (last, _) = anchor.value
    head = text.line(first)[start:]
    rest = [text.line(it) for it in range(first + 1, last + 1)]
    lines = (
        [head, *_dedented(rest)] if _starts_on_its_line(anchor) else _dedented([" " * start + head, *rest])
    )
    return "\n".join(lines if len(lines) <= most else [*lines[:most], "..."])


def _starts_on_its_line(anchor: Anchor) -> bool:
    return anchor.node.kind is Kind.SCALAR or anchor.node.flow


def _dedented(lines: Sequence[str]) -> list[str]:
    indents = [len(it) - len(it.lstrip()) for it in lines if it.strip()]
    return [it[min(indents) :] if indents else it for it in lines]


def _anchor(text: Text, piece: Piece, node: Node) -> Anchor | None:
    """Reads the `&name` that a node with an anchor starts with; a tag may stand before or after it."""
    (line, column), end = node.span.shifted(piece.start)
    head = re.compile(rf"(?:!\S*\s+)?(&{re.escape(node.anchor or '')})(?:\s+!\S*)?(?=[\s,\]}}]|$)\s*")
    found = head.match(text.line(line), column)
    if found is None:
        return None
    start, stop = found.span(1)
    value = Place(line, found.end())
    if node.kind in {Kind.MAP, Kind.SEQ} and not node.flow:
        first = node.pairs[0][0] if node.pairs else node.items[0] if node.items else None
        value = first.span.shifted(piece.start).start if first is not None else value
        if node.kind is Kind.SEQ:
            value = Place(value.line, text.line(value.line).rfind("-", 0, value.column))
    return Anchor(Span(Place(line, start), Place(line, stop)), node, Span(value, max(value, end)))
