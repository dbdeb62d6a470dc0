"""Find an alias's anchor, an anchor's aliases, and the text that an anchor names."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree


class Anchor(NamedTuple):
    """An anchor: the span of its `&name`, and its value with the value's span."""

    name: Span
    node: Node
    value: Span


def anchor_of_alias(tree: Tree, text: Text, name: str, before: Place) -> Anchor | None:
    """Return the anchor that `*name` at a place refers to: the last one above it."""
    for piece in reversed(tree.pieces):
        node = piece.parsed.anchors.get(name)
        if node is not None and node.start.line + piece.start <= before.line:
            return _anchor(text, piece, node)
    return None


def anchor_at(tree: Tree, text: Text, place: Place) -> Anchor | None:
    """Return the anchor whose `&name` is at a place."""
    piece = tree.piece_at(place.line)
    if piece is None:
        return None
    found = (_anchor(text, piece, it) for it in piece.parsed.anchors.values())
    return next((it for it in found if it is not None and it.name.contains(place)), None)


def aliases(tree: Tree, name: str) -> Iterator[Span]:
    """Yield the span of every `*name` in the text."""
    for piece in tree.pieces:
        if piece.parsed.has_alias and piece.parsed.root is not None:
            for node in piece.parsed.root.walk():
                if node.kind is Kind.ALIAS and node.source == name:
                    yield node.span.shift(piece.start)


def anchored_text(text: Text, anchor: Anchor, most: int) -> str:
    """Return the lines of an anchor's value, dedented, at most `most` of them."""
    (first, start), (last, _) = anchor.value
    head = text.line(first)[start:]
    rest = [text.line(it) for it in range(first + 1, last + 1)]
    lines = [head, *_dedent(rest)] if _starts_on_its_line(anchor) else _dedent([" " * start + head, *rest])
    return "\n".join(lines if len(lines) <= most else [*lines[:most], "..."])


def _starts_on_its_line(anchor: Anchor) -> bool:
    return anchor.node.kind is Kind.SCALAR or anchor.node.flow


def _dedent(lines: Sequence[str]) -> list[str]:
    indents = [len(it) - len(it.lstrip()) for it in lines if it.strip()]
    return [it[min(indents) :] if indents else it for it in lines]


def _anchor(text: Text, piece: Piece, node: Node) -> Anchor | None:
    """Read the `&name` at the start of a node.

    A tag may precede or follow it.
    """
    (line, column), end = node.span.shift(piece.start)
    head = re.compile(rf"(?:!\S*\s+)?(&{re.escape(node.anchor or '')})(?:\s+!\S*)?(?=[\s,\]}}]|$)\s*")
    found = head.match(text.line(line), column)
    if found is None:
        return None
    start, stop = found.span(1)
    value = Place(line, found.end())
    if node.kind in {Kind.MAP, Kind.SEQ} and not node.flow:
        first = node.pairs[0][0] if node.pairs else node.items[0] if node.items else None
        value = first.span.shift(piece.start).start if first is not None else value
        if node.kind is Kind.SEQ:
            value = Place(value.line, text.line(value.line).rfind("-", 0, value.column))
    return Anchor(Span(Place(line, start), Place(line, stop)), node, Span(value, max(value, end)))
