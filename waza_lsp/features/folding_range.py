"""`textDocument/foldingRange`: multi-line values, list items and comments."""

from collections.abc import Iterator, Sequence

from lsprotocol import types

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Text
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.tree import Tree


def folding_range(snapshot: Snapshot) -> list[types.FoldingRange]:
    """Return the folding ranges, in no particular order."""
    if snapshot.form is None:
        return []
    folds: dict[int, int] = {}
    texts: set[int] = set()
    for first, end, is_text in _value_folds(snapshot.tree):
        last = _last_with_text(snapshot.text, first, end)
        if last > first:
            folds[first] = max(last, folds.get(first, last))
            if is_text:
                texts.update(range(first + 1, last + 1))
    comment = types.FoldingRangeKind.Comment
    return [
        *(types.FoldingRange(first, last) for first, last in sorted(folds.items())),
        *(types.FoldingRange(a, b, kind=comment) for a, b in _comment_folds(snapshot.text.lines, texts)),
    ]


def _last_with_text(text: Text, first: int, last: int) -> int:
    # A broken value can end far below its text, even after the end of the document.
    while last > first and not text.line(last).strip():
        last -= 1
    return last


def _value_folds(tree: Tree) -> Iterator[tuple[int, int, bool]]:
    """Return first line, last line and whether the further lines are text, for each foldable value."""
    for entry in tree.entries:
        if entry.items:
            piece, node = entry.items[-1]
            yield entry.key.start.line + entry.piece.start, _last_line(node) + piece.start, False
    for piece in tree.pieces:
        if piece.parsed.root is not None:
            for first, last, is_text in _folds_in(piece.parsed.root):
                yield first + piece.start, last + piece.start, is_text


def _folds_in(node: Node) -> Iterator[tuple[int, int, bool]]:
    for key, value in node.pairs:
        yield key.start.line, _last_line(value), value.kind is Kind.SCALAR
        yield from _folds_in(value)
    for item in node.items:
        yield item.start.line, _last_line(item), item.kind is Kind.SCALAR
        yield from _folds_in(item)


def _last_line(node: Node) -> int:
    # Keep the line of the closing bracket visible.
    return node.end.line - 1 if node.flow and node.end.line > node.start.line else node.end.line


def _comment_folds(lines: Sequence[str], texts: set[int]) -> Iterator[tuple[int, int]]:
    start = -1
    for index, line in enumerate([*lines, ""]):
        if line.lstrip().startswith("#") and index not in texts:
            start = index if start < 0 else start
            continue
        if 0 <= start < index - 1:
            yield start, index - 1
        start = -1
