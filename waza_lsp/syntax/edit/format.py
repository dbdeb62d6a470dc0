"""Format a text without changing its data: trailing spaces, final newline, indentation.

Multi-line strings and comments are never changed. Only a text without mistakes is formatted.
"""

from collections.abc import Iterator, Sequence

from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Draft, Edit, Layout
from waza_lsp.syntax.text import Place, Span, Text, indent_of
from waza_lsp.syntax.tree.entry import Entry
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.tree import Tree

_BLOCKS = frozenset([Kind.MAP, Kind.SEQ])


def formatting_edits(draft: Draft) -> list[Edit]:
    """Return edits that format a text.

    Returns no edits if it has a mistake or more than one document.
    """
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
    protected = _protected_lines(tree, text)
    filled = next((it for it in range(len(text.lines) - 1, -1, -1) if text.line(it).strip()), -1)
    edits = [*_line_ends(text, filled, protected), *_file_end(text, filled, protected)]
    moved = [it for entry in tree.entries if (it := _columns(entry, text, draft.layout, protected))]
    return sorted([*edits, *_harmless(draft, moved)])


def _harmless(draft: Draft, moved: Sequence[list[Edit]]) -> list[Edit]:
    """Return the edits that leave the data unchanged.

    If all together change it, try each half.
    """
    edits = [it for each in moved for it in each]
    after = draft.apply(edits)
    if after.tree.data() == draft.tree.data() and not after.problem_count():
        return edits
    half = len(moved) // 2
    return [*_harmless(draft, moved[:half]), *_harmless(draft, moved[half:])] if half else []


def _protected_lines(tree: Tree, text: Text) -> set[int]:
    """Return the lines of multi-line strings, with blank lines that may belong to them."""
    protected: set[int] = set()
    for piece in tree.pieces:
        for node in piece.parsed.root.walk() if piece.parsed.root is not None else ():
            if node.kind is not Kind.SCALAR:
                continue
            (first, _), (last, _) = node.span.shift(piece.start)
            if node.style in {"|", ">"}:
                while last + 1 < len(text.lines) and not text.line(last + 1).strip():
                    last += 1
            # Only the header line of a block scalar may be formatted.
            protected.update(range(first + bool(node.style in {"|", ">"}), last + 1) if last > first else ())
    return protected


def _line_ends(text: Text, filled: int, protected: set[int]) -> Iterator[Edit]:
    """Remove trailing spaces, up to the last line with text."""
    for line in range(filled + 1):
        source = text.line(line)
        end = _content_end(text, line, protected)
        if end < len(source) and not (line == filled == len(text.lines) - 1):
            yield Edit(Span(Place(line, end), Place(line, len(source))), "")


def _content_end(text: Text, line: int, protected: set[int]) -> int:
    """Return the end of a line without trailing spaces.

    Spaces that belong to a string or comment stay.
    """
    source = text.line(line)
    end = len(source.rstrip(" \t"))
    return end if line not in protected and row_of(line, source, 2).comment >= end else len(source)


def _file_end(text: Text, filled: int, protected: set[int]) -> Iterator[Edit]:
    """End the file with one line end and no blank lines."""
    last = len(text.lines) - 1
    if filled < 0 or filled in protected or last in protected:
        return
    end = Place(last, len(text.line(last)))
    if filled == last:
        yield Edit(Span(Place(last, _content_end(text, last, protected)), end), "\n")
    elif filled < last - 1 or text.line(last):
        yield Edit(Span(Place(filled + 1, 0), end), "")


def _columns(entry: Entry, text: Text, layout: Layout, protected: set[int]) -> list[Edit]:
    """Move the lines of a top-level value to the columns of the file's layout.

    All of them or none.
    """
    columns: dict[int, int] = {}
    try:
        for piece, node, column in _parts(entry, layout, text):
            _record_columns(node, piece.start, column, layout, text, columns)
    except _Unclear:
        return []
    moved = {line: it for line, it in columns.items() if it != indent_of(text.line(line))}
    lines = range(entry.piece.start, _last_line(entry) + 1)
    if not moved or any(it in protected or text.line(it).lstrip().startswith("#") for it in lines):
        return []
    return [
        Edit(Span(Place(line, 0), Place(line, indent_of(text.line(line)))), " " * column)
        for line, column in sorted(moved.items())
    ]


class _Unclear(Exception):  # noqa: N818  # ends a recursion, never leaves the module
    """The layout of these lines is unusual and stays as it is."""


def _parts(entry: Entry, layout: Layout, text: Text) -> Iterator[tuple[Piece, Node, int]]:
    """Yield the block values of an entry, with the column where each should start."""
    if entry.is_list:
        for piece, node in entry.items:
            dash = _dash(node, piece.start, text)
            yield piece, node, layout.dash + node.start.column - dash
    elif entry.value.kind in _BLOCKS and not entry.value.flow:
        is_map = entry.value.kind is Kind.MAP
        yield entry.piece, entry.value, layout.step if is_map else layout.dash


def _record_columns(
    node: Node, start: int, column: int, layout: Layout, text: Text, columns: dict[int, int]
) -> None:
    """Record the columns of a block value whose content should start in `column`."""
    if node.kind is Kind.SEQ and not node.flow:
        for item in node.items:
            dash = _dash(item, start, text)
            _record_columns(item, start, column + item.start.column - dash, layout, text, columns)
        return
    _record_line(node, start, column, text, columns)
    if node.kind is not Kind.MAP or node.flow:
        return
    for key, value in node.pairs:
        _record_line(key, start, column, text, columns)
        if value.kind in _BLOCKS and not value.flow and value.start.line > key.start.line:
            inner = layout.step if value.kind is Kind.MAP else layout.dash
            _record_columns(value, start, column + inner, layout, text, columns)
        elif value.end.line > key.start.line and not value.is_empty:
            raise _Unclear


def _record_line(node: Node, start: int, column: int, text: Text, columns: dict[int, int]) -> None:
    """Record where the line of a node begins if the node itself starts in `column`."""
    line = node.start.line + start
    before = text.line(line)[: node.start.column]
    if before.strip(" -") or "\t" in before:
        raise _Unclear
    begin = indent_of(text.line(line))
    found = columns.setdefault(line, column - (node.start.column - begin))
    if found != column - (node.start.column - begin) or found < 0:
        raise _Unclear


def _dash(item: Node, start: int, text: Text) -> int:
    """Return the column of the dash on an item's first line."""
    before = text.line(item.start.line + start)[: item.start.column]
    dash = before.rfind("-")
    if dash < 0 or before[dash + 1 :].strip(" "):
        raise _Unclear
    return dash


def _last_line(entry: Entry) -> int:
    if entry.items:
        piece, node = entry.items[-1]
        return piece.start + node.end.line
    return entry.piece.start + entry.value.end.line
