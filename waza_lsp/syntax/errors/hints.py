"""Recognise the mistake behind a syntax error from the lines at or above it.

libyaml often gives up some lines below the mistake. Each function here looks for one kind of mistake and returns a
`Problem`: a message, the span at fault, and the likely cause, which selects the repairs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from waza_lsp.syntax.cursor.rows import closing, row_of
from waza_lsp.syntax.text import Place, Span, indent_of


class Cause(StrEnum):
    """What the author probably did wrong."""

    DASH = "missing space after a dash"
    COLON = "missing space after a colon"
    TAB = "tab in the indentation"
    SPACES = "whitespace that YAML does not accept, in the indentation or after a dash or colon"
    QUOTE = "unclosed quote"
    BRACKET = "unclosed bracket"
    HALF_KEY = "key without a colon"
    INDENTATION = "line not aligned with its neighbours"
    TEXT_AFTER = "text after a complete value"
    SECOND_COLON = "second colon on a line"
    SECOND_COLON_IN_BRACKETS = "second colon of a value in brackets"
    FIRST_CHARACTER = "character that cannot start a value"
    ESCAPE = "unknown escape in double quotes"
    TEMPLATE = "unquoted template"
    LIST_BELOW_TEXT = "list of graders below a text, without its key"
    SHALLOW_BLOCK = "block text not indented deeper than its key"
    BLOCK_LINE = "text on the same line as the | or > that starts a block"
    FORBIDDEN = "character that YAML does not allow"
    OTHER = "something else"


@dataclass(frozen=True, slots=True)
class Problem:
    """A syntax problem: what is wrong, what to do, and where.

    Lines count from the start of its piece.
    """

    message: str
    span: Span
    cause: Cause = Cause.OTHER


def on_line(message: str, line: int, columns: tuple[int, int], cause: Cause) -> Problem:
    """Return a problem with the given columns of one line."""
    return Problem(message, Span(Place(line, columns[0]), Place(line, columns[1])), cause)


TEMPLATE_MESSAGE = "Quote a value that starts with {{; YAML reads unquoted {{ as brackets"

_MISSING_SPACE_AFTER_COLON = "Missing space after ':'"
_TAB = re.compile(r"^ *\t+")
_UNUSUAL = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Spaces as copied from web pages. YAML reads them as letters."""
_UNUSUAL_SPACES = re.compile(rf"^([ \t]*)((?:- +)*(?:-|[\w.-]+:)?)([{_UNUSUAL}][{_UNUSUAL} ]*)")
_TAB_AFTER_DASH = re.compile(r"^ *(?:- +)*-\s*\t\s*(?=\S)")
_NO_SPACE_AFTER_COLON = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[^\s:/\\])")
_NO_SPACE_BEFORE_BRACKET = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[\[{])")
_NO_SPACE_AFTER_DASH = re.compile(r"^\s*(-)(?=[A-Za-z_][\w.-]*:(?:\s|$)|[\[{])")
_KEY_BEFORE_COLON = re.compile(r"[\w.-]+$")
_IN_BRACKETS = re.compile(r"(?:[\[,]|: )[ \t]*(?=\{\{)")
_WORD = re.compile(r"\s*([\w.-]+)\s*$")
_NO_KEY = re.compile(r"\s*(?:- +)*(:)(?=\s|$)")
_LONGEST_KEY = 1024
_BLOCK = re.compile(r"(\s*(?:- +)*)([\w.-]+):\s+([|>][+-]?)\s*(?:#.*)?$")


def unquoted_template(lines: Sequence[str], at: tuple[int, ...]) -> Problem | None:
    """Return the problem of a value that starts with `{{`, which YAML reads as brackets."""
    for line in at:
        text = lines[line] if 0 <= line < len(lines) else ""
        row = row_of(line, text, 1)
        start = row.value
        if text[start : start + 1] in {"[", "{"} and not text.startswith("{{", start):
            found = _IN_BRACKETS.search(text, start)
            start = found.end() if found is not None else row.end
        if text.startswith("{{", start):
            end = row.end if start == row.value else _end_in_brackets(text, start)
            return on_line(TEMPLATE_MESSAGE, line, (start, end), Cause.TEMPLATE)
    return None


def _end_in_brackets(text: str, start: int) -> int:
    depth = 0
    for column in range(start, len(text)):
        depth += (text[column] == "{") - (text[column] == "}")
        if depth < 0 or (depth == 0 and text[column] in ",]"):
            return len(text[:column].rstrip())
    return len(text.rstrip())


def dash_without_space_or_tab(lines: Sequence[str], at: int) -> Problem | None:
    """Look for a dash without a space, unusual spaces or a tab.

    Checks the line of the error and the line before.
    """
    for line in (at, at - 1):
        text = lines[line] if 0 <= line < len(lines) else ""
        if dash := _dash_without_space(text, line):
            return dash
        if spaces := unusual_spaces(text, line):
            return spaces
        if found := (_TAB.match(text) or (line == at and _TAB_AFTER_DASH.match(text))):
            columns = (found.group().index("\t"), found.end())
            return on_line("YAML does not allow tabs for indentation; use spaces", line, columns, Cause.TAB)
    return None


def unusual_spaces(text: str, line: int) -> Problem | None:
    """Look for spaces that YAML does not accept, in the indentation or after a dash or key."""
    found = _UNUSUAL_SPACES.match(text)
    if found is None:
        return None
    what_to_do = "replace it with an ordinary space" if found[2] else "indent with ordinary spaces"
    message = f"Unusual whitespace, such as a no-break space; {what_to_do}"
    return on_line(message, line, found.span(3), Cause.SPACES)


def invalid_key(lines: Sequence[str], line: int) -> Problem | None:
    """Look for a missing key before a colon, or a key that is longer than YAML allows."""
    text = lines[line] if line < len(lines) else ""
    if found := _NO_KEY.match(text):
        return on_line("Missing key before ':'", line, found.span(1), Cause.OTHER)
    row = row_of(line, text, 1)
    colon = text.find(":", row.start + _LONGEST_KEY) if len(text) > _LONGEST_KEY else -1
    if colon < 0 or ": " in text[:colon]:
        return None
    message = f"Key too long; YAML allows at most {_LONGEST_KEY} characters"
    return on_line(message, line, (row.start, colon), Cause.OTHER)


def _dash_without_space(text: str, line: int) -> Problem | None:
    found = _NO_SPACE_AFTER_DASH.match(text)
    if found is None:
        return None
    columns = (found.start(1), len(text.rstrip()))
    return on_line("Missing space after '-'", line, columns, Cause.DASH)


def colon_without_space(lines: Sequence[str], line: int) -> Problem | None:
    """Look for `key:value` on a line, the line before or its parent line."""
    return _colon_without_space(_NO_SPACE_AFTER_COLON, lines, line)


def bracket_without_space(lines: Sequence[str], line: int) -> Problem | None:
    """Look for `key:{...}` or `key:[...]` on the same lines.

    YAML reads their brackets as part of the key.
    """
    return _colon_without_space(_NO_SPACE_BEFORE_BRACKET, lines, line)


def colon_in_brackets(lines: Sequence[str], line: int, column: int) -> Problem | None:
    """Look for a key in brackets whose colon is directly followed by a bracket: `{key:[a]}`."""
    text = lines[line] if line < len(lines) else ""
    found = _KEY_BEFORE_COLON.search(text, 0, column)
    if found is None or text[column + 1 : column + 2] not in {"[", "{"}:
        return None
    return on_line(_MISSING_SPACE_AFTER_COLON, line, (found.start(), column + 1), Cause.COLON)


def _colon_without_space(glued: re.Pattern[str], lines: Sequence[str], line: int) -> Problem | None:
    for at in (line, line - 1, _parent(lines, line)):
        text = lines[at] if 0 <= at < len(lines) else ""
        if found := glued.match(text):
            columns = (found.start(1), len(text.rstrip()))
            return on_line(_MISSING_SPACE_AFTER_COLON, at, columns, Cause.COLON)
    return None


def unfinished_above(lines: Sequence[str], line: int) -> Problem | None:
    """Look above a line for a bare word or a dash without a space.

    The lines in between were meant to be its value.
    """
    indent = indent_of(lines[line])
    for above in range(line - 1, -1, -1):
        text = lines[above]
        # A list may be in the same column as its key.
        column = indent_of(text) + text.lstrip().startswith("- ")
        if text.strip() and not text.lstrip().startswith("#") and column <= indent:
            if dash := _dash_without_space(text, above):
                return dash
            if word := _WORD.fullmatch(text):
                message = f"Missing ':' after '{word[1]}'"
                return on_line(message, above, word.span(1), Cause.HALF_KEY)
            indent = indent_of(text) - 1
    return None


def shallow_block(lines: Sequence[str], line: int) -> Problem | None:
    """Look for text below `key: |` that is not indented deeper than the key."""
    above = next((it for it in range(min(line, len(lines)) - 1, -1, -1) if lines[it].strip()), -1)
    found = _BLOCK.match(lines[above]) if above >= 0 else None
    if found is None or line >= len(lines) or indent_of(lines[line]) > len(found[1]):
        return None
    message = f"Indent the text of '{found[2]}' deeper than the key"
    text = lines[line].rstrip()
    return on_line(message, line, (indent_of(text), len(text)), Cause.SHALLOW_BLOCK)


def open_quote(lines: Sequence[str], line: int) -> Problem | None:
    """Return the problem of the nearest quoted value above, if its line does not close it."""
    for above in range(line - 1, -1, -1):
        row = row_of(above, lines[above], 1)
        quote = lines[above][row.value : row.value + 1]
        if quote in {"'", '"'}:
            return None if closing(lines[above], row.value) >= 0 else unclosed_quote(lines, above, row.value)
    return None


def unclosed_quote(lines: Sequence[str], line: int, column: int) -> Problem:
    """Return the problem of a quote that is never closed."""
    quote = lines[line][column : column + 1]
    message = f"This quote is never closed; add {quote} at the end of the text"
    return on_line(message, line, (column, column + 1), Cause.QUOTE)


def _parent(lines: Sequence[str], line: int) -> int:
    """Return the nearest line above that is indented less, or -1."""
    indent = indent_of(lines[line]) if line < len(lines) else 0
    above = (it for it in range(min(line, len(lines)) - 1, -1, -1) if lines[it].strip())
    return next((it for it in above if indent_of(lines[it]) < indent), -1)
