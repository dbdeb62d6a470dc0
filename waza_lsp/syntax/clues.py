"""Mistakes that show on the lines themselves, at or above the place where libyaml gave up."""

import re

from waza_lsp.syntax.problem import Cause, Problem, on_line
from waza_lsp.syntax.rows import closing, row_of

TEMPLATE_MESSAGE = "A value that starts with {{ needs quotes; without them YAML reads brackets"

_TAB = re.compile(r"^ *\t+")
_NO_BLANK_AFTER_COLON = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[^\s:/\\])")
_NO_BLANK_AFTER_DASH = re.compile(r"^\s*(-)(?=[A-Za-z_][\w.-]*:(?:\s|$))")
_WORD = re.compile(r"\s*([\w.-]+)\s*$")


def template(lines: list[str], at: tuple[int, ...]) -> Problem | None:
    """A value that starts with `{{`: a text to people, brackets to YAML."""
    for line in at:
        text = lines[line] if 0 <= line < len(lines) else ""
        row = row_of(line, text, 1)
        start = row.value
        if text[start : start + 1] == "[":
            start = text.find("{{", start)
        if start >= 0 and text.startswith("{{", start):
            end = row.end if start == row.value else _end_in_brackets(text, start)
            return on_line(TEMPLATE_MESSAGE, line, (start, end), Cause.TEMPLATE)
    return None


def _end_in_brackets(text: str, start: int) -> int:
    depth = 0
    for column in range(start, len(text)):
        depth += (text[column] == "{") - (text[column] == "}")
        if depth == 0 and text[column] in ",]":
            return len(text[:column].rstrip())
    return len(text.rstrip())


def mark_without_blank(lines: list[str], at: int) -> Problem | None:
    """A dash without its blank, or a tab, on the line of the error or the one before it."""
    for line in (at, at - 1):
        text = lines[line] if 0 <= line < len(lines) else ""
        if found := _NO_BLANK_AFTER_DASH.match(text):
            columns = (found.start(1), len(text.rstrip()))
            return on_line("A blank is missing after the dash", line, columns, Cause.DASH)
        if found := _TAB.match(text):
            columns = (found.group().index("\t"), found.end())
            return on_line("Tabs cannot indent YAML; use blanks", line, columns, Cause.TAB)
    return None


def colon_without_blank(lines: list[str], line: int) -> Problem | None:
    """`key:value` on a line."""
    text = lines[line] if 0 <= line < len(lines) else ""
    if found := _NO_BLANK_AFTER_COLON.match(text):
        columns = (found.start(1), len(text.rstrip()))
        return on_line("A blank is missing after the colon", line, columns, Cause.COLON)
    return None


def key_without_colon(lines: list[str], line: int) -> Problem | None:
    """A bare word in the column of a line, above it: the lines between were meant to be its value."""
    indent = _indent(lines[line])
    for above in range(line - 1, -1, -1):
        text = lines[above]
        if text.strip() and _indent(text) <= indent:
            found = _WORD.fullmatch(text) if _indent(text) == indent else None
            if found is None:
                return None
            message = f"'{found[1]}' is no complete entry; add a colon"
            return on_line(message, above, found.span(1), Cause.HALF_KEY)
    return None


def open_quote(lines: list[str], line: int) -> Problem | None:
    """The nearest value above a line that starts with a quote which its line does not close."""
    for above in range(line - 1, -1, -1):
        row = row_of(above, lines[above], 1)
        quote = lines[above][row.value : row.value + 1]
        if quote in {"'", '"'}:
            return None if closing(lines[above], row.value) >= 0 else never_closed(lines, above, row.value)
    return None


def never_closed(lines: list[str], line: int, column: int) -> Problem:
    quote = lines[line][column : column + 1]
    message = f"This quote is never closed; add {quote} at the end of the text"
    return on_line(message, line, (column, column + 1), Cause.QUOTE)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
