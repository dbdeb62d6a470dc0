"""`textDocument/selectionRange`: from a value to its pair, item and list, up to the whole document."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree


def selection_range(snapshot: Snapshot, positions: Sequence[types.Position]) -> list[types.SelectionRange]:
    """Return the chain of enclosing values for each position, the innermost first."""
    return [_chain(snapshot, snapshot.place(it)) for it in positions]


def _chain(snapshot: Snapshot, place: Place) -> types.SelectionRange:
    text = snapshot.text
    result: types.SelectionRange | None = None
    inner: Span | None = None
    for span in _spans(snapshot.tree, text, place):
        if span != inner and (inner is None or (inner.start <= span.start and span.end <= inner.end)):
            inner = span
            result = types.SelectionRange(snapshot.range(span), parent=result)
    return result if result is not None else types.SelectionRange(snapshot.range(Span(place, place)))


def _spans(tree: Tree, text: Text, place: Place) -> Iterator[Span]:
    """Return the spans around a place, the widest first."""
    last = len(text.lines) - 1
    yield Span(Place(0, 0), Place(last, len(text.line(last))))
    piece = tree.piece_at(place.line)
    if piece is None or piece.parsed.root is None:
        return
    yield from _list_spans(tree, piece)
    local = Place(place.line - piece.start, place.column)
    for span in _spans_in(piece.parsed.root, local):
        yield span.shift(piece.start)


def _list_spans(tree: Tree, piece: Piece) -> Iterator[Span]:
    """Return the top-level list that contains a piece, with and without its key."""
    for entry in tree.entries:
        if entry.items and entry.items[0][0].start <= piece.start <= entry.items[-1][0].start:
            first, (last, node) = entry.items[0], entry.items[-1]
            end = node.span.shift(last.start).end
            yield Span(entry.key.span.shift(entry.piece.start).start, end)
            root = first[0].parsed.root
            if root is not None:
                yield Span(root.span.shift(first[0].start).start, end)


def _spans_in(node: Node, place: Place) -> Iterator[Span]:
    """Return the spans in a value that contain a place, the widest first."""
    if not node.span.contains(place):
        return
    yield node.span
    if node.style in {"'", '"'} and node.start.line == node.end.line:
        yield Span(Place(node.start.line, node.start.column + 1), Place(node.end.line, node.end.column - 1))
    for key, value in node.pairs:
        pair = Span(key.start, max(key.end, value.end))
        if pair.contains(place):
            yield pair
            yield from _spans_in(key if key.span.contains(place) else value, place)
            return
    for item in node.items:
        if item.span.contains(place):
            yield from _spans_in(item, place)
            return
