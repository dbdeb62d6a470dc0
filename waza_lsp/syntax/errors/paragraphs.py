"""Plain texts over several lines: where one begins and ends that YAML does not read as one because of its `: `."""

import re
from collections.abc import Sequence

from waza_lsp.syntax.cursor.rows import Row, row_of
from waza_lsp.syntax.text import Place, Span, indent_of

_MOST_LINES = 60
_KEY = re.compile(r"\s*[a-z_]+:(?:\s|$)")
_LONG = 4
"""A line below that starts like a key may be a badly indented one, unless the value above has so many blanks."""
_NO_TEXT = ("'", '"', "[", "{", "|", ">", "&", "*", "!", "#")
_STRUCTURE = re.compile(r"\s*(?:- +)+[\w.-]+:(?:\s|$)")


def paragraph_at(lines: Sequence[str], place: Place) -> Span | None:
    """Return the span of the plain text around a place; None if the lines there are no text."""
    for number in range(place.line, max(-1, place.line - _MOST_LINES), -1):
        row = row_of(number, lines[number], 1)
        if row.is_blank and not lines[number].strip():
            continue
        column = row.key_start if row.key is not None else (row.dashes or (-1,))[-1]
        if column < 0 or (number == place.line and place.column <= row.value):
            continue
        if _indents(lines, number, place.line, column):
            is_like_key = number < place.line and _KEY.match(lines[place.line]) is not None
            start = _start(lines, number, row, _LONG if is_like_key else 1)
            return _span(lines, start, column) if start is not None else None
    return None


def _indents(lines: Sequence[str], above: int, below: int, column: int) -> bool:
    """Whether all lines between two lines, and the lower one, are indented deeper than a column."""
    inner = [it for it in lines[above + 1 : below + 1] if it.strip()]
    return all(indent_of(it) > column for it in inner)


def _start(lines: Sequence[str], number: int, row: Row, blanks: int) -> Place | None:
    """Return where the text begins: after its key or dash, or on the line below its key."""
    value = lines[number][row.value : row.end]
    if row.has_value:
        is_text = value.count(" ") >= blanks and not value.startswith(_NO_TEXT)
        return Place(number, row.value) if is_text else None
    below = next((at for at in range(number + 1, len(lines)) if lines[at].strip()), None)
    if row.key is None or below is None:
        return None
    text = lines[below].lstrip(" ")
    is_text = text.partition(":")[0].strip().count(" ") >= blanks and not text.startswith((*_NO_TEXT, "- "))
    return Place(below, len(lines[below]) - len(text)) if is_text else None


def _span(lines: Sequence[str], start: Place, column: int) -> Span | None:
    last = start.line
    for number in range(start.line + 1, len(lines)):
        text = lines[number]
        if not text.strip():
            continue
        if indent_of(text) <= column or text.lstrip().startswith("#"):
            break
        if _STRUCTURE.match(text):
            return None
        last = number
    return Span(start, Place(last, len(lines[last].rstrip())))


_GRADER = re.compile(r"\s*- +type: +\S")


def list_below_text(lines: Sequence[str], line: int) -> Place | None:
    """Return the first line of a list of graders below a key that has a text already, and the column of that key."""
    for number in range(line, 0, -1):
        row = row_of(number - 1, lines[number - 1], 1)
        if _GRADER.match(lines[number]) and row.key is not None and row.key_start < indent_of(lines[number]):
            is_text = row.has_value and not row.dashes[1:] and row.key != "type"
            return Place(number, row.key_start) if is_text else None
        if row.key is None and not row.is_blank:
            return None
    return None
