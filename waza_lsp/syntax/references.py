"""Aliases that name nothing, and tags that no reader of YAML knows."""

from collections.abc import Iterator

from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree import Tree


def unknown_aliases(tree: Tree) -> Iterator[tuple[str, Span]]:
    """The aliases without an anchor above them, and where they stand."""
    if not tree.has_alias:
        return
    known: set[str] = set()
    for piece in tree.pieces:
        if not piece.parsed.has_alias or piece.parsed.root is None:
            known.update(piece.parsed.anchors)
            continue
        # An error may have kept an anchor from being read.
        known.update(piece.parsed.anchors if piece.parsed.problems else ())
        for node in _in_order(piece.parsed.root):
            if node.kind is Kind.ALIAS and node.source not in known:
                yield node.source, node.span.shifted(piece.start)
            elif node.anchor:
                known.add(node.anchor)


def unknown_tags(tree: Tree) -> Iterator[tuple[str, Span]]:
    """The tags that stand for nothing, and where they stand."""
    for piece in tree.pieces:
        for tag, span in piece.parsed.tags:
            yield tag, span.shifted(piece.start)


def _in_order(node: Node) -> Iterator[Node]:
    yield node
    for key, value in node.pairs:
        yield from _in_order(key)
        yield from _in_order(value)
    for item in node.items:
        yield from _in_order(item)
