"""Tidying a text without changing what it says: the ends of lines, the end of the file, columns that stray.

What stands in texts of several lines is never touched, comments neither. Only a text without any mistake is tidied.
"""

from collections.abc import Iterator, Sequence

from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Draft, Edit, Layout
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Entry, Tree

_BLOCKS = frozenset([Kind.MAP, Kind.SEQ])


def tidied(draft: Draft) -> list[Edit]:
    """The edits, none of which changes the data; no edit where the text has a mistake or more than one document."""
    tree, text = draft.tree, draft.text
    keys = tree.keys() or ()
    if (
        draft.problem_count()
        or len(set(keys)) < len(keys)
        or tree.conflict >= 0
        or tree.second_document >= 0
        or tree.whole is not None
    ):
        return []
    kept = _kept_lines(tree, text)
    filled = next((it for it in range(len(text.lines) - 1, -1, -1) if text.line(it).strip()), -1)
    edits = [*_line_ends(text, filled, kept), *_file_end(text, filled, kept)]
    moved = [it for entry in tree.entries if (it := _columns(entry, text, draft.layout, kept))]
    return sorted([*edits, *_harmless(draft, moved)])


def _harmless(draft: Draft, moved: Sequence[list[Edit]]) -> list[Edit]:
    """What changes no data; all are tried at once, and the halves apart where one of them does."""
    edits = [it for each in moved for it in each]
    after = draft.edited(edits)
    if after.tree.data() == draft.tree.data() and not after.problem_count():
        return edits
    half = len(moved) // 2
    return [*_harmless(draft, moved[:half]), *_harmless(draft, moved[half:])] if half else []


def _kept_lines(tree: Tree, text: Text) -> set[int]:
    """The lines behind the first one of texts of several lines, with the blank lines that may belong to them."""
    kept: set[int] = set()
    for piece in tree.pieces:
        for node in piece.parsed.root.walk() if piece.parsed.root is not None else ():
            if node.kind is not Kind.SCALAR:
                continue
            (first, _), (last, _) = node.span.shifted(piece.start)
            if node.style in {"|", ">"}:
                while last + 1 < len(text.lines) and not text.line(last + 1).strip():
                    last += 1
            # Behind the last line of another text something else may stand.
            kept.update(range(first + bool(node.style in {"|", ">"}), last + 1) if last > first else ())
    return kept


def _line_ends(text: Text, filled: int, kept: set[int]) -> Iterator[Edit]:
    """Blanks at the ends of lines up to the last one with text."""
    for line in range(filled + 1):
        source = text.line(line)
        end = _content_end(text, line, kept)
        if end < len(source) and not (line == filled == len(text.lines) - 1):
            yield Edit(Span(Place(line, end), Place(line, len(source))), "")


def _content_end(text: Text, line: int, kept: set[int]) -> int:
    """Where a line ends without its trailing blanks; behind them where they belong to a text or a comment."""
    source = text.line(line)
    end = len(source.rstrip(" \t"))
    return end if line not in kept and row_of(line, source, 2).comment >= end else len(source)


def _file_end(text: Text, filled: int, kept: set[int]) -> Iterator[Edit]:
    """One line end behind the last line with text, and no blank lines."""
    last = len(text.lines) - 1
    if filled < 0 or filled in kept or last in kept:
        return
    end = Place(last, len(text.line(last)))
    if filled == last:
        yield Edit(Span(Place(last, _content_end(text, last, kept)), end), "\n")
    elif filled < last - 1 or text.line(last):
        yield Edit(Span(Place(filled + 1, 0), end), "")


def _columns(entry: Entry, text: Text, layout: Layout, kept: set[int]) -> list[Edit]:
    """What brings the lines of a top-level value to the columns that the file uses elsewhere; all of them or none."""
    wanted: dict[int, int] = {}
    try:
        for piece, node, column in _parts(entry, layout, text):
            _place(node, piece.start, column, layout, text, wanted)
    except _Unclear:
        return []
    moved = {line: it for line, it in wanted.items() if it != _indent(text, line)}
    lines = range(entry.piece.start, _last_line(entry) + 1)
    if not moved or any(it in kept or text.line(it).lstrip().startswith("#") for it in lines):
        return []
    return [
        Edit(Span(Place(line, 0), Place(line, _indent(text, line))), " " * column)
        for line, column in sorted(moved.items())
    ]


class _Unclear(Exception):  # noqa: N818  # a way out of a recursion, seen by nobody
    """The lines are laid out in a way that is left alone."""


def _parts(entry: Entry, layout: Layout, text: Text) -> Iterator[tuple[Piece, Node, int]]:
    """The block values of an entry and the column that each should start in."""
    if entry.is_list:
        for piece, node in entry.items:
            dash = _dash(node, piece.start, text)
            yield piece, node, layout.dash + node.start.column - dash
    elif entry.value.kind in _BLOCKS and not entry.value.flow:
        is_map = entry.value.kind is Kind.MAP
        yield entry.piece, entry.value, layout.step if is_map else layout.dash


def _place(node: Node, start: int, column: int, layout: Layout, text: Text, wanted: dict[int, int]) -> None:
    """Note the column of every line of a block value whose content is to start in `column`."""
    if node.kind is Kind.SEQ and not node.flow:
        for item in node.items:
            dash = _dash(item, start, text)
            _place(item, start, column + item.start.column - dash, layout, text, wanted)
        return
    _note(node, start, column, text, wanted)
    if node.kind is not Kind.MAP or node.flow:
        return
    for key, value in node.pairs:
        _note(key, start, column, text, wanted)
        if value.kind in _BLOCKS and not value.flow and value.start.line > key.start.line:
            inner = layout.step if value.kind is Kind.MAP else layout.dash
            _place(value, start, column + inner, layout, text, wanted)
        elif value.end.line > key.start.line and not value.is_empty:
            raise _Unclear


def _note(node: Node, start: int, column: int, text: Text, wanted: dict[int, int]) -> None:
    """Note where the line of a node begins when the node itself comes to stand in `column`."""
    line = node.start.line + start
    before = text.line(line)[: node.start.column]
    if before.strip(" -") or "\t" in before:
        raise _Unclear
    begin = _indent(text, line)
    found = wanted.setdefault(line, column - (node.start.column - begin))
    if found != column - (node.start.column - begin) or found < 0:
        raise _Unclear


def _dash(item: Node, start: int, text: Text) -> int:
    """The column of the dash before an item; it must stand on the item's line."""
    before = text.line(item.start.line + start)[: item.start.column]
    dash = before.rfind("-")
    if dash < 0 or before[dash + 1 :].strip(" "):
        raise _Unclear
    return dash


def _indent(text: Text, line: int) -> int:
    source = text.line(line)
    return len(source) - len(source.lstrip(" "))


def _last_line(entry: Entry) -> int:
    if entry.items:
        piece, node = entry.items[-1]
        return piece.start + node.end.line
    return entry.piece.start + entry.value.end.line
