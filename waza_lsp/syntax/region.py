"""The lines that decide what a cursor is at: its own piece, and the first lines of the other top-level entries."""

from typing import NamedTuple

from waza_lsp.syntax.cut import PieceKind
from waza_lsp.syntax.outline import Lines
from waza_lsp.syntax.text import Text
from waza_lsp.syntax.tree import Tree

_HEADS = frozenset([PieceKind.PAIR, PieceKind.HEAD])


class Region(NamedTuple):
    """Lines, and the index of the first item of a top-level list among them."""

    lines: Lines
    first: int = 0


def region_of(tree: Tree, text: Text, line: int) -> Region | None:
    """The lines around a line; None where no content can stand: on document marks and behind a document."""
    if text.line(line)[:3] in {"---", "..."} or text.line(line).startswith("%"):
        return None
    if 0 <= tree.second_document < line:
        return _later_document(text, line)
    if tree.whole is not None:
        return Region(_all(text, tree.whole.start, tree.whole.end))
    return _pieces(tree, text, line)


def _later_document(text: Text, line: int) -> Region | None:
    start = line
    while text.line(start)[:3] not in {"---", "..."}:
        start -= 1
    if text.line(start).startswith("..."):
        return None
    end = start + 1
    while end < len(text.lines) and text.line(end)[:3] not in {"---", "..."}:
        end += 1
    return Region(_all(text, start + 1, end))


def _pieces(tree: Tree, text: Text, line: int) -> Region:
    pieces = tree.pieces
    current = sum(1 for it in pieces if it.start <= line) - 1
    wanted = {current}
    if current > 0 and pieces[current].kind is PieceKind.STRAY:
        wanted.add(current - 1)
    lowest = head = min(wanted, default=0)
    if current >= 0 and pieces[lowest].kind is PieceKind.ITEM:
        while head > 0 and pieces[head].kind is not PieceKind.HEAD:
            head -= 1
        wanted.add(head)
    lines: list[tuple[int, str]] = []
    for index, piece in enumerate(pieces):
        if index in wanted:
            lines += _all(text, piece.start, piece.end)
        elif piece.kind in _HEADS or index == current + 1:
            lines.append((piece.start, text.line(piece.start)))
    first = sum(1 for it in pieces[head:lowest] if it.kind is PieceKind.ITEM)
    return Region(lines or _all(text, line, line + 1), first)


def _all(text: Text, start: int, end: int) -> Lines:
    return [(it, text.line(it)) for it in range(start, end)]
