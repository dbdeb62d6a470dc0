"""Aliases that name nothing, or what they stand in themselves, merge keys of nothing, and tags that nobody knows.

How much the aliases of a text stand for: a dozen lines can stand for billions of values.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece


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


MOST_VALUES = 100_000
"""More than any file needs, and little enough to be checked at once."""


def first_excess(roots: Iterable[tuple[Node, int]]) -> int:
    """The line of the alias that makes the text stand for too many values, -1 when none does.

    `roots` are the parts of the text in order, each with its first line.
    """
    sizes: dict[str, int] = {}
    total = 0
    for root, start in roots:
        for node in _all(root):
            if node.kind is Kind.ALIAS:
                total += sizes.get(node.source, 1)
                if total > MOST_VALUES:
                    return node.start.line + start
            elif node.anchor:
                sizes[node.anchor] = _size(node, sizes)
    return -1


def _size(node: Node, sizes: dict[str, int]) -> int:
    """How many values a node stands for; an alias to an anchor that is still open, or unknown, is one."""
    return sum(sizes.get(it.source, 1) if it.kind is Kind.ALIAS else 1 for it in _all(node))


def _all(root: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        below = [child for key, child in node.pairs] if node.kind is Kind.MAP else node.items
        waiting.extend(reversed(below))
