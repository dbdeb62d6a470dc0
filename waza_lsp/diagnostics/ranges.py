"""Findings with their ranges: the smallest part of the text that shows the problem."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind, Node, descend, merge_key
from waza_lsp.syntax.tree.tree import Tree


class RangedFinding(NamedTuple):
    """A finding and its span; `related` are spans in the same text that explain it, each with a message."""

    span: Span
    finding: Finding
    related: tuple[tuple[Span, str], ...] = ()
    base: tuple[str, int] | None = None
    """Set if the finding's pointers start at a piece of a top-level list: the key of the list and the index of the
    first item in the piece."""
    part: Span | None = None
    """The wrong part of a string at `span`."""

    @property
    def highlight(self) -> Span:
        """The span that the editor underlines."""
        return self.part or self.span

    def shift(self, lines: int, base: tuple[str, int] | None = None) -> "RangedFinding":
        """Return the same finding `lines` further down."""
        related = self.related and tuple((span.shift(lines), text) for span, text in self.related)
        return RangedFinding(self.span.shift(lines), self.finding, related, base)

    @property
    def in_document(self) -> Finding:
        """The finding with pointers from the root of the document."""
        if self.base is None:
            return self.finding
        key, first = self.base

        def move(pointer: Pointer) -> Pointer:
            match pointer:
                case [int(index), *rest]:
                    return (key, first + index, *rest)
                case ["..", *rest]:
                    return tuple(rest)
                case _:
                    return (key,)

        return self.finding.map_pointers(move)


_BLOCKS = frozenset([Kind.MAP, Kind.SEQ])


def span_in(tree: Tree, pointer: Pointer, *, on_key: bool = False) -> Span | None:
    """Return the span for a pointer from the root; the top of the file if the text has nothing there."""
    held = tree.piece_and_rest(pointer)
    if held is not None:
        piece, start, rest = held
        known, place = start.memory, (span_below, rest, on_key)
        if place not in known:
            known[place] = span_below(start, rest, on_key=on_key)
        below: Span | None = known[place]
        if below is not None:
            return below.shift(piece.start)
    located = tree.find(pointer) if pointer else None
    if located is None:
        alias = alias_above(tree, pointer)
        if alias is not None:
            return alias
        return _top(tree)
    node = located.node
    is_block = node.kind in _BLOCKS and not node.flow
    if located.key is not None and (on_key or node.is_empty or is_block):
        return located.key
    lines = located.value.start.line - node.start.line
    return _token(node).shift(lines) if not (is_block and node.items) else located.value


def _top(tree: Tree) -> Span | None:
    """Return the span for findings about the whole file; None in an empty one."""
    if tree.whole is not None:
        root = tree.whole.parsed.root
        return _token(root).shift(tree.whole.start) if root is not None and root.kind is Kind.MAP else None
    return tree.entries[0].key.span.shift(tree.entries[0].piece.start) if tree.entries else None


def alias_above(tree: Tree, pointer: Pointer) -> Span | None:
    """Return the alias or merge key that a pointer leads through, or None."""
    if not tree.has_alias:
        return None
    for length in range(len(pointer), 0, -1):
        located = tree.find(pointer[:length])
        if located is not None:
            merge = merge_key(located.node)
            if located.node.kind is Kind.ALIAS:
                return located.value
            if merge is not None:
                return merge.span.shift(located.value.start.line - located.node.start.line)
            return None
    return None


def span_below(node: Node, pointer: Pointer, *, on_key: bool = False) -> Span | None:
    """Return the span for a pointer from a node, with the lines of the node; None if the node has nothing there."""
    found = descend(node, pointer)
    if found is None:
        return None
    key, value = found
    is_block = value.kind in _BLOCKS and not value.flow
    if key is not None and (on_key or value.is_empty or is_block):
        return key.span
    return _token(value) if not (is_block and value.items) else value.span


def span_of(root: Node | None, pointer: Pointer, *, on_key: bool = False) -> Span:
    """Return the span for a pointer from a node, or of its nearest parent; one line at most in a block."""
    if root is None:
        return Span(Place(0, 0), Place(0, 1))
    found = descend(root, pointer)
    while found is None and pointer:
        pointer = pointer[:-1]
        found = descend(root, pointer)
        if found is not None and (merge := merge_key(found[1])) is not None:
            return merge.span
    key, value = found if found is not None else (None, root)
    if key is not None and (on_key or value.is_empty or (not value.flow and value.kind in _BLOCKS)):
        return key.span
    return _token(value)


def _token(node: Node) -> Span:
    if node.kind is Kind.MAP and node.pairs and not node.flow:
        return node.pairs[0][0].span
    if node.kind is Kind.SEQ and node.items and not node.flow:
        return _token(node.items[0])
    start, end = node.span
    if node.kind is Kind.SCALAR and not node.style and end > start:
        return node.span
    if end.line > start.line:
        return Span(start, Place(start.line, start.column + 1))
    return node.span if end > start else Span(start, Place(start.line, start.column + 1))


def related_in_other_files(
    finding: Finding, files: Files, encoding: str
) -> Iterator[tuple[Path, Text, Span, str]]:
    """Yield the file, its text, the span and the message of each explanation in another file.

    The span is the top of the file if the pointer leads nowhere.
    """
    for it in finding.related:
        if it.path is not None:
            text = Text.of(files.text(it.path) or "", encoding)
            span = span_in(Tree.of(text.lines), it.pointer) or Span(Place(0, 0), Place(0, 0))
            yield it.path, text, span, it.text
