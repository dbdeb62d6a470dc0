"""How a file is laid out: its indentation, so that new lines look like the old ones."""

from collections.abc import Iterator
from typing import NamedTuple

from waza_lsp.syntax.node import Kind, Node
from waza_lsp.syntax.tree import Tree

_MOST_SEEN = 40


class Layout(NamedTuple):
    """Blanks before the keys of a nested map, before the dashes of a nested list, and from a dash to its content.

    The first two count from the column of the key above.
    """

    step: int = 2
    dash: int = 2
    gap: int = 2


def layout_of(tree: Tree) -> Layout:
    """The layout of the first nested map and the first list of a file."""
    steps: list[int] = []
    dashes: list[tuple[int, int]] = []
    for seen, (column, value, first) in enumerate(_values(tree)):
        if value.kind is Kind.MAP:
            steps.append(value.start.column - column)
        else:
            dashes.append((value.start.column - column, first - value.start.column))
        if (steps and dashes) or seen > _MOST_SEEN:
            break
    dash, gap = next((it for it in dashes if it[0] >= 0 and it[1] > 1), (-1, 2))
    step = next((it for it in steps if it > 0), dash if dash > 0 else 2)
    return Layout(step, dash if dash >= 0 else step, gap)


def _values(tree: Tree) -> Iterator[tuple[int, Node, int]]:
    """Block maps and lists below keys: the key's column, the value, and the column of a list's first content."""
    for entry in tree.entries:
        if entry.is_list and entry.items:
            piece, item = entry.items[0]
            if piece.parsed.root is not None:
                yield entry.key.start.column, piece.parsed.root, item.start.column
            yield from _below(item)
        else:
            yield from _pair(entry.key, entry.value)
    whole = tree.whole
    if whole is not None and whole.parsed.root is not None:
        yield from _below(whole.parsed.root)


def _pair(key: Node, value: Node) -> Iterator[tuple[int, Node, int]]:
    if value.flow or key.start.line == value.start.line:
        return
    if value.kind is Kind.MAP and value.pairs:
        yield key.start.column, value, 0
    elif value.kind is Kind.SEQ and value.items:
        yield key.start.column, value, value.items[0].start.column
    yield from _below(value)


def _below(node: Node) -> Iterator[tuple[int, Node, int]]:
    for key, value in node.pairs:
        yield from _pair(key, value)
    for item in node.items:
        yield from _below(item)
