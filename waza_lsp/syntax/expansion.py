"""How much the aliases of a text stand for: a dozen lines can stand for billions of values."""

from collections.abc import Iterable, Iterator

from waza_lsp.syntax.node import Kind, Node

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
