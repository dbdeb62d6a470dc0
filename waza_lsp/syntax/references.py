"""Aliases that name nothing, or what they stand in themselves, merge keys of nothing, and tags that nobody knows."""

from collections.abc import Iterator, Mapping, Sequence

from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.piece import Piece
from waza_lsp.syntax.text import Span


def unknown_aliases(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """The aliases without an anchor above them, and where they stand."""
    known: set[str] = set()
    for piece in pieces:
        if not piece.parsed.has_alias or piece.parsed.root is None:
            known.update(piece.parsed.anchors)
            continue
        # An error may have kept an anchor from being read.
        known.update(piece.parsed.anchors if piece.parsed.problems else ())
        for node in piece.parsed.root.walk():
            if node.kind is Kind.ALIAS and node.source not in known:
                yield node.source, node.span.shifted(piece.start)
            elif node.anchor:
                known.add(node.anchor)


def endless_aliases(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """The aliases that stand inside of what they name, and where they stand."""
    for piece in pieces:
        if piece.parsed.has_alias and piece.parsed.anchors and piece.parsed.root is not None:
            for node in _inside(piece.parsed.root, frozenset()):
                yield node.source, node.span.shifted(piece.start)


def _inside(node: Node, named: frozenset[str]) -> Iterator[Node]:
    """The aliases at or below a node that name it, or one of the `named` nodes above it."""
    if node.kind is Kind.ALIAS and node.source in named:
        yield node
    below = named | {node.anchor} if node.anchor else named
    for key, value in node.pairs:
        yield from _inside(key, below)
        yield from _inside(value, below)
    for item in node.items:
        yield from _inside(item, below)


def vain_merges(pieces: Sequence[Piece], anchors: Mapping[str, Node]) -> Iterator[Span]:
    """What merge keys stand before that is no mapping; the key itself where nothing stands behind it."""
    for piece in pieces:
        for key, value in piece.parsed.merges:
            for node in _without_keys(value, anchors):
                yield (key if node.is_empty else node).span.shifted(piece.start)


def _without_keys(value: Node, anchors: Mapping[str, Node]) -> Iterator[Node]:
    """The value, or those items of it, that no keys can be taken from; aliases of what does not exist are no matter."""
    for node in value.items if value.kind is Kind.SEQ else [value]:
        meant = anchors.get(node.source) if node.kind is Kind.ALIAS else node
        if meant is not None and any(
            it.kind is Kind.SCALAR for it in (meant.items if meant.kind is Kind.SEQ else [meant])
        ):
            yield node


def unknown_tags(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """The tags that stand for nothing, and where they stand."""
    for piece in pieces:
        for tag, span in piece.parsed.tags:
            yield tag, span.shifted(piece.start)
