"""Find aliases, merge keys and tags that cannot be resolved.

A dozen lines of nested aliases can expand to billions of values; `line_of_excess` finds them before anything expands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece

MOST_VALUES = 20_000
"""More than any file needs, and few enough to check quickly."""


def unknown_aliases(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """Yield name and span of every alias without an anchor above it."""
    known: set[str] = set()
    for piece in pieces:
        if not piece.parsed.has_alias or piece.parsed.root is None:
            known.update(piece.parsed.anchors)
            continue
        # A node with an anchor may be missing from the tree after a syntax error.
        known.update(piece.parsed.anchors if piece.parsed.problems else ())
        for node in piece.parsed.root.walk():
            if node.kind is Kind.ALIAS and node.source not in known:
                yield node.source, node.span.shift(piece.start)
            elif node.anchor:
                known.add(node.anchor)


def recursive_aliases(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """Yield name and span of every alias inside the node that it refers to."""
    for piece in pieces:
        if piece.parsed.has_alias and piece.parsed.anchors and piece.parsed.root is not None:
            for node in _aliases_of_ancestors(piece.parsed.root, frozenset()):
                yield node.source, node.span.shift(piece.start)


def invalid_merges(pieces: Sequence[Piece], anchors: Mapping[str, Node]) -> Iterator[Span]:
    """Yield the span of every merged value that is not a mapping.

    If the value is missing, the span is that of the merge key.
    """
    for piece in pieces:
        for key, value in piece.parsed.merges:
            for node in _without_keys(value, anchors):
                yield (key if node.is_empty else node).span.shift(piece.start)


def unknown_tags(pieces: Sequence[Piece]) -> Iterator[tuple[str, Span]]:
    """Yield name and span of every unknown tag."""
    for piece in pieces:
        for tag, span in piece.parsed.tags:
            yield tag, span.shift(piece.start)


def line_of_excess(roots: Iterable[tuple[Node, int]]) -> int:
    """Return the line of the alias that exceeds `MOST_VALUES`, or -1.

    `roots` are the parts of the text in order, each with its first line.
    """
    sizes: dict[str, int] = {}
    total = 0
    for root, start in roots:
        for node in _walk_values(root):
            if node.kind is Kind.ALIAS:
                total += sizes.get(node.source, 1)
                if total > MOST_VALUES:
                    return node.start.line + start
            elif node.anchor:
                sizes[node.anchor] = _size(node, sizes)
    return -1


def _aliases_of_ancestors(node: Node, named: frozenset[str]) -> Iterator[Node]:
    """Yield the aliases below a node that refer to it or to a `named` ancestor."""
    if node.kind is Kind.ALIAS and node.source in named:
        yield node
    below = named | {node.anchor} if node.anchor else named
    for key, value in node.pairs:
        yield from _aliases_of_ancestors(key, below)
        yield from _aliases_of_ancestors(value, below)
    for item in node.items:
        yield from _aliases_of_ancestors(item, below)


def _without_keys(value: Node, anchors: Mapping[str, Node]) -> Iterator[Node]:
    """Yield the value, or those of its items, that have no keys.

    Unknown aliases are reported elsewhere.
    """
    for node in value.items if value.kind is Kind.SEQ else [value]:
        target = anchors.get(node.source) if node.kind is Kind.ALIAS else node
        if target is not None and any(
            it.kind is Kind.SCALAR for it in (target.items if target.kind is Kind.SEQ else [target])
        ):
            yield node


def _size(node: Node, sizes: dict[str, int]) -> int:
    """Return how many values a node expands to.

    An alias to an open or unknown anchor counts as one.
    """
    return sum(sizes.get(it.source, 1) if it.kind is Kind.ALIAS else 1 for it in _walk_values(node))


def _walk_values(root: Node) -> Iterator[Node]:
    """Yield the node and all values below it, in text order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        below = [child for key, child in node.pairs] if node.kind is Kind.MAP else node.items
        waiting.extend(reversed(below))
