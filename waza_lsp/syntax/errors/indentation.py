"""Repairs of the indentation: tabs, and lines in no column of their neighbours.

One way to mend text that is not YAML.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.edits import Edit
from waza_lsp.syntax.errors.hints import Problem
from waza_lsp.syntax.text import Place, Span, Text


class Repair(NamedTuple):
    """One way to mend a problem. Its edits count from the first line of the piece.

    One that is a guess is meant only where the schema knows the key that it makes.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False
    is_guess: bool = False


_DASH_AND_TAB = re.compile(r"( *(?:- +)*-) *\t\s*(?=\S)")
_NO_LIMIT = 1_000


def without_tabs(text: Text, problem: Problem) -> Iterator[Repair]:
    """Among lines with blanks a line goes to a column of theirs; in a text with tabs every tab becomes a step."""
    at = problem.span.start.line
    if text.line(at)[: problem.span.start.column].strip():
        yield from _without_tabs_after_dashes(text, at)
        return
    lines = [it for it in range(len(text.lines)) if text.line(it).startswith("\t") and text.line(it).strip()]
    for column in _columns_above(text, at) if lines == [at] else ():
        yield Repair("Use blanks instead of tabs", (_indented(text, at, column),), safe=True)
    for step in dict.fromkeys([_usual_step(text), 2, 4]):
        for chosen in (sorted({*lines, at}), [at]):
            yield Repair(
                "Use blanks instead of tabs",
                tuple(_indented(text, it, _expanded(text.line(it), step)) for it in chosen),
                safe=True,
            )


def _without_tabs_after_dashes(text: Text, at: int) -> Iterator[Repair]:
    """As many blanks as bring the first key of the item above the others; else one."""
    below = next((it for it in range(at + 1, len(text.lines)) if _is_content(text, it)), None)
    for chosen in (range(len(text.lines)), [at]):
        found = [(it, _DASH_AND_TAB.match(text.line(it))) for it in chosen]
        gaps = [Span(Place(it, dash.end(1)), Place(it, dash.end())) for it, dash in found if dash]
        beside = indent_of(text, below) - gaps[0].start.column if below is not None and gaps else 1
        for blanks in dict.fromkeys([max(1, beside), 1]):
            yield Repair(
                "Use blanks instead of tabs", tuple(Edit(it, " " * blanks) for it in gaps), safe=True
            )


def _columns_above(text: Text, line: int) -> Iterator[int]:
    """Columns where a line may stand, the likeliest first: below a key that waits for its value, else beside one."""
    above = [it for it in range(line) if _is_content(text, it)]
    below = [it for it in range(line + 1, len(text.lines)) if _is_content(text, it)]
    waits = _waits_for_value(text.line(line).lstrip())
    limit = (
        indent_of(text, below[0]) + text.line(below[0]).lstrip().startswith("- ")
        if waits and below
        else _NO_LIMIT
    )
    if above and _waits_for_value(text.line(above[-1])):
        parent = row_of(0, text.line(above[-1]), 1).start
        beside = [indent_of(text, it) for it in takewhile(lambda it: indent_of(text, it) > parent, below)]
        yield from (it for it in (min(beside, default=_NO_LIMIT), parent + _usual_step(text)) if it < limit)
    for it in reversed(above):
        column = row_of(0, text.line(it), 1).start
        if column < limit:
            yield column


def _is_content(text: Text, line: int) -> bool:
    return not text.line(line).lstrip().startswith("#") and bool(text.line(line).strip())


def _waits_for_value(line: str) -> bool:
    row = row_of(0, line, 1)
    return row.key is not None and (not row.has_value or line[row.value] in "|>")


def _expanded(line: str, step: int) -> int:
    return sum(step if it == "\t" else 1 for it in line[: len(line) - len(line.lstrip())])


def _indented(text: Text, line: int, column: int) -> Edit:
    source = text.line(line)
    return Edit(Span(Place(line, 0), Place(line, len(source) - len(source.lstrip()))), " " * column)


def _usual_step(text: Text) -> int:
    indents = [len(it) - len(it.lstrip(" ")) for it in text.lines if it.strip() and not it.startswith("\t")]
    return min((it for it in indents if it), default=2)


def realigned(text: Text, problem: Problem) -> Iterator[Repair]:
    """To the column of a line above, the nearest first; what is indented below the line goes with it."""
    line = problem.span.start.line
    indent = indent_of(text, line)
    yield from _item_above(text, line)
    is_item = bool(row_of(line, text.line(line), 1).dashes)
    rows = [it for it in range(line) if text.line(it).strip()]
    if not any(_is_content(text, it) for it in rows):
        yield Repair(
            f"Indent by 0 instead of {indent}",
            tuple(_shift(text, it, -indent) for it in _run(text, line, indent)),
        )
    below = [
        it for it in range(max(_run(text, line, indent + 1)) + 1, len(text.lines)) if _is_content(text, it)
    ]
    columns = {it for row in (*rows, *below[:1]) for it in _columns(text, row, is_item)}
    for column in sorted(columns - {indent}, key=lambda it: abs(it - indent)):
        for lines in (_run(text, line, indent + 1), [line], _run(text, line, indent)):
            edits = tuple(_shift(text, it, column - indent) for it in lines)
            yield Repair(f"Indent by {column} instead of {indent}", edits)


def _item_above(text: Text, line: int) -> Iterator[Repair]:
    """The dash of the item that a line goes on with, if that brings it below the others."""
    dashes = {it: row for it in range(len(text.lines)) if (row := row_of(it, text.line(it), 1)).dashes}
    indent = indent_of(text, line)
    item = next((row for it, row in reversed(dashes.items()) if it < line and row.dashes[0] < indent), None)
    if item is None:
        return
    column = item.dashes[0] + indent - item.start
    if any(it.dashes[0] == column for it in dashes.values()):
        edit = _shift(text, item.line, column - item.dashes[0])
        yield Repair(f"Indent the item by {column} instead of {item.dashes[0]}", (edit,))


def _columns(text: Text, line: int, is_item: bool) -> set[int]:
    """Where a line can stand because of one above; an item in the column of a text would go on with the text."""
    row = row_of(line, text.line(line), 1)
    return {*row.dashes} if is_item and row.key is None else {*row.dashes, row.start}


def _run(text: Text, line: int, at_least: int) -> Iterator[int]:
    """A line and those below it that are indented far enough."""
    yield line
    for it in range(line + 1, len(text.lines)):
        if text.line(it).strip():
            if indent_of(text, it) < at_least:
                return
            yield it


def beside(text: Text, line: int, column: int) -> Iterator[int]:
    """The other lines of the block that has a line in this column; texts below its keys stand deeper."""
    for way in (range(line - 1, -1, -1), range(line + 1, len(text.lines))):
        yield from takewhile(
            lambda it: not _is_content(text, it) or indent_of(text, it) >= column,
            way,
        )


def indent_of(text: Text, line: int) -> int:
    return len(text.line(line)) - len(text.line(line).lstrip(" "))


def _shift(text: Text, line: int, blanks: int) -> Edit:
    taken = min(max(0, -blanks), indent_of(text, line))
    return Edit(Span(Place(line, 0), Place(line, taken)), " " * max(0, blanks))
