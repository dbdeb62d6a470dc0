"""Repair indentation: replace tabs, and align lines with their neighbours."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Edit
from waza_lsp.syntax.errors.hints import Problem
from waza_lsp.syntax.text import Place, Span, Text, indent_of


class Repair(NamedTuple):
    """One way to repair a problem. The edits count lines from the start of the piece.

    `safe` repairs may be applied without asking. A repair that is a guess counts only if the schema knows the key that
    it creates.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False
    is_guess: bool = False


_DASH_AND_TAB = re.compile(r"( *(?:- +)*-) *\t\s*(?=\S)")
_NO_LIMIT = 1_000


def replace_tabs(text: Text, problem: Problem) -> Iterator[Repair]:
    """Replace tabs with spaces.

    A single line with tabs moves to a column of the lines above it; otherwise every tab becomes one step.
    """
    at = problem.span.start.line
    if text.line(at)[: problem.span.start.column].strip():
        yield from _without_tabs_after_dashes(text, at)
        return
    lines = [it for it in range(len(text.lines)) if text.line(it).startswith("\t") and text.line(it).strip()]
    for column in _columns_above(text, at) if lines == [at] else ():
        yield Repair("Replace tabs with spaces", (_indent(text, at, column),), safe=True)
    for step in dict.fromkeys([_usual_step(text), 2, 4]):
        for chosen in (sorted({*lines, at}), [at]):
            yield Repair(
                "Replace tabs with spaces",
                tuple(_indent(text, it, _width(text.line(it), step)) for it in chosen),
                safe=True,
            )


def _without_tabs_after_dashes(text: Text, at: int) -> Iterator[Repair]:
    """Replace tabs after dashes by spaces that align the item's keys, or by one space."""
    below = next((it for it in range(at + 1, len(text.lines)) if _is_content(text, it)), None)
    for chosen in (range(len(text.lines)), [at]):
        found = [(it, _DASH_AND_TAB.match(text.line(it))) for it in chosen]
        gaps = [Span(Place(it, dash.end(1)), Place(it, dash.end())) for it, dash in found if dash]
        beside = indent_of(text.line(below)) - gaps[0].start.column if below is not None and gaps else 1
        for blanks in dict.fromkeys([max(1, beside), 1]):
            yield Repair("Replace tabs with spaces", tuple(Edit(it, " " * blanks) for it in gaps), safe=True)


def _columns_above(text: Text, line: int) -> Iterator[int]:
    """Yield possible columns for a line, likeliest first.

    First below a key that needs a value, then in the columns of lines above.
    """
    above = [it for it in range(line) if _is_content(text, it)]
    below = [it for it in range(line + 1, len(text.lines)) if _is_content(text, it)]
    waits = _needs_value(text.line(line).lstrip())
    limit = (
        indent_of(text.line(below[0])) + text.line(below[0]).lstrip().startswith("- ")
        if waits and below
        else _NO_LIMIT
    )
    if above and _needs_value(text.line(above[-1])):
        parent = row_of(0, text.line(above[-1]), 1).start
        beside = [
            indent_of(text.line(it)) for it in takewhile(lambda it: indent_of(text.line(it)) > parent, below)
        ]
        yield from (it for it in (min(beside, default=_NO_LIMIT), parent + _usual_step(text)) if it < limit)
    for it in reversed(above):
        column = row_of(0, text.line(it), 1).start
        if column < limit:
            yield column


def _is_content(text: Text, line: int) -> bool:
    return not text.line(line).lstrip().startswith("#") and bool(text.line(line).strip())


def _needs_value(line: str) -> bool:
    row = row_of(0, line, 1)
    return row.key is not None and (not row.has_value or line[row.value] in "|>")


def _width(line: str, step: int) -> int:
    return sum(step if it == "\t" else 1 for it in line[: len(line) - len(line.lstrip())])


def _indent(text: Text, line: int, column: int) -> Edit:
    source = text.line(line)
    return Edit(Span(Place(line, 0), Place(line, len(source) - len(source.lstrip()))), " " * column)


def _usual_step(text: Text) -> int:
    indents = [indent_of(it) for it in text.lines if it.strip() and not it.startswith("\t")]
    return min((it for it in indents if it), default=2)


def realign(text: Text, problem: Problem) -> Iterator[Repair]:
    """Move a line, with the lines below it, to the column of a line above.

    The nearest column comes first.
    """
    line = problem.span.start.line
    indent = indent_of(text.line(line))
    yield from _item_above(text, line)
    is_item = bool(row_of(line, text.line(line), 1).dashes)
    rows = [it for it in range(line) if text.line(it).strip()]
    if not any(_is_content(text, it) for it in rows):
        yield Repair(
            f"Indent by 0 instead of {indent}",
            tuple(_shift(text, it, -indent) for it in _lines_from(text, line, indent)),
        )
    below = [
        it
        for it in range(max(_lines_from(text, line, indent + 1)) + 1, len(text.lines))
        if _is_content(text, it)
    ]
    columns = {it for row in (*rows, *below[:1]) for it in _columns(text, row, is_item)}
    for column in sorted(columns - {indent}, key=lambda it: abs(it - indent)):
        for lines in (_lines_from(text, line, indent + 1), [line], _lines_from(text, line, indent)):
            edits = tuple(_shift(text, it, column - indent) for it in lines)
            yield Repair(f"Indent by {column} instead of {indent}", edits)


def _item_above(text: Text, line: int) -> Iterator[Repair]:
    """Move the dash of the item above, if that aligns it with other dashes."""
    dashes = {it: row for it in range(len(text.lines)) if (row := row_of(it, text.line(it), 1)).dashes}
    indent = indent_of(text.line(line))
    item = next((row for it, row in reversed(dashes.items()) if it < line and row.dashes[0] < indent), None)
    if item is None:
        return
    column = item.dashes[0] + indent - item.start
    if any(it.dashes[0] == column for it in dashes.values()):
        edit = _shift(text, item.line, column - item.dashes[0])
        yield Repair(f"Indent the item by {column} instead of {item.dashes[0]}", (edit,))


def _columns(text: Text, line: int, is_item: bool) -> set[int]:
    """Return the columns that a line offers to the one at fault.

    An item in the column of a plain text would continue that text, so only dashes count there.
    """
    row = row_of(line, text.line(line), 1)
    return {*row.dashes} if is_item and row.key is None else {*row.dashes, row.start}


def _lines_from(text: Text, line: int, at_least: int) -> Iterator[int]:
    """Yield a line and the lines below it that are indented by at least that much."""
    yield line
    for it in range(line + 1, len(text.lines)):
        if text.line(it).strip():
            if indent_of(text.line(it)) < at_least:
                return
            yield it


def lines_of_block(text: Text, line: int, column: int) -> Iterator[int]:
    """Yield the other lines of the block in this column, deeper lines included."""
    for direction in (range(line - 1, -1, -1), range(line + 1, len(text.lines))):
        yield from takewhile(
            lambda it: not _is_content(text, it) or indent_of(text.line(it)) >= column,
            direction,
        )


def _shift(text: Text, line: int, blanks: int) -> Edit:
    removed = min(max(0, -blanks), indent_of(text.line(line)))
    return Edit(Span(Place(line, 0), Place(line, removed)), " " * max(0, blanks))
