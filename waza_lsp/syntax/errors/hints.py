"""Mistakes that show on the lines themselves, at or above the place where libyaml gave up.

What is wrong with a text that is not YAML: in words, where, and what the author seems to have done.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from waza_lsp.syntax.cursor.rows import closing, row_of
from waza_lsp.syntax.text import Place, Span


class Cause(StrEnum):
    """What the author did, as far as the text tells."""

    DASH = "no blank after a dash"
    COLON = "no blank after a colon"
    TAB = "tab in the indentation"
    BLANKS = "blanks in the indentation, or behind a dash or colon, that are no blanks to YAML"
    QUOTE = "quote without its end"
    BRACKET = "bracket without its end"
    HALF_KEY = "key without a colon"
    INDENTATION = "line in no column of its neighbours"
    TEXT_AFTER = "text after a complete value"
    SECOND_COLON = "colon in a value"
    FIRST_CHARACTER = "character that cannot start a value"
    ESCAPE = "unknown escape in double quotes"
    TEMPLATE = "template without quotes"
    SHALLOW_BLOCK = "text of a block in the column of its key"
    BLOCK_LINE = "text on the line of the mark that begins a block"
    FORBIDDEN = "character that YAML does not allow"
    OTHER = "something else"


@dataclass(frozen=True, slots=True)
class Problem:
    """A syntax problem: what is wrong and what to do, and where (relative to its piece)."""

    message: str
    span: Span
    cause: Cause = Cause.OTHER


def on_line(message: str, line: int, columns: tuple[int, int], cause: Cause) -> Problem:
    """A problem with a stretch of one line."""
    return Problem(message, Span(Place(line, columns[0]), Place(line, columns[1])), cause)


TEMPLATE_MESSAGE = "A value that starts with {{ needs quotes; without them YAML reads brackets"

_TAB = re.compile(r"^ *\t+")
_ODD = r"\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""Blanks as web pages have them: for YAML they are letters."""
_ODD_BLANKS = re.compile(rf"^([ \t]*)((?:- +)*(?:-|[\w.-]+:)?)([{_ODD}][{_ODD} ]*)")
_TAB_AFTER_DASH = re.compile(r"^ *(?:- +)*-\s*\t\s*(?=\S)")
_NO_BLANK_AFTER_COLON = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[^\s:/\\])")
_NO_BLANK_BEFORE_BRACKET = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[\[{])")
_NO_BLANK_AFTER_DASH = re.compile(r"^\s*(-)(?=[A-Za-z_][\w.-]*:(?:\s|$)|[\[{])")
_KEY_BEFORE_COLON = re.compile(r"[\w.-]+$")
_IN_BRACKETS = re.compile(r"(?:[\[,]|: )[ \t]*(?=\{\{)")
_WORD = re.compile(r"\s*([\w.-]+)\s*$")
_NO_KEY = re.compile(r"\s*(?:- +)*(:)(?=\s|$)")
_LONGEST_KEY = 1024
_BLOCK = re.compile(r"(\s*(?:- +)*)([\w.-]+):\s+([|>][+-]?)\s*(?:#.*)?$")


def template(lines: Sequence[str], at: tuple[int, ...]) -> Problem | None:
    """A value that starts with `{{`: a text to people, brackets to YAML."""
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


def mark_without_blank(lines: Sequence[str], at: int) -> Problem | None:
    """A dash without its blank, or a tab, on the line of the error or the one before it."""
    for line in (at, at - 1):
        text = lines[line] if 0 <= line < len(lines) else ""
        if dash := _dash_without_blank(text, line):
            return dash
        if odd := odd_blanks(text, line):
            return odd
        if found := (_TAB.match(text) or (line == at and _TAB_AFTER_DASH.match(text))):
            columns = (found.group().index("\t"), found.end())
            return on_line("Tabs cannot indent YAML; use blanks", line, columns, Cause.TAB)
    return None


def odd_blanks(text: str, line: int) -> Problem | None:
    """Blanks in an indentation, or behind a dash or a key, that YAML does not know."""
    found = _ODD_BLANKS.match(text)
    if found is None:
        return None
    what_to_do = "put ordinary blanks here" if found[2] else "indent with ordinary blanks"
    message = f"These blanks are no ordinary ones (a no-break space, for example); {what_to_do}"
    return on_line(message, line, found.span(3), Cause.BLANKS)


def odd_key(lines: Sequence[str], line: int) -> Problem | None:
    """A key that is no key: none at all, or one that is longer than YAML takes."""
    text = lines[line] if line < len(lines) else ""
    if found := _NO_KEY.match(text):
        return on_line("The key before this colon is missing", line, found.span(1), Cause.OTHER)
    row = row_of(line, text, 1)
    colon = text.find(":", row.start + _LONGEST_KEY) if len(text) > _LONGEST_KEY else -1
    if colon < 0 or ": " in text[:colon]:
        return None
    message = f"A key has at most {_LONGEST_KEY} characters"
    return on_line(message, line, (row.start, colon), Cause.OTHER)


def _dash_without_blank(text: str, line: int) -> Problem | None:
    found = _NO_BLANK_AFTER_DASH.match(text)
    if found is None:
        return None
    columns = (found.start(1), len(text.rstrip()))
    return on_line("A blank is missing after the dash", line, columns, Cause.DASH)


def colon_without_blank(lines: Sequence[str], line: int) -> Problem | None:
    """`key:value` on a line, on the one before it, or on the one that it is indented below."""
    return _without_blank(_NO_BLANK_AFTER_COLON, lines, line)


def bracket_without_blank(lines: Sequence[str], line: int) -> Problem | None:
    """The same of `key:{...}` and `key:[...]`, whose brackets YAML reads as letters of the key."""
    return _without_blank(_NO_BLANK_BEFORE_BRACKET, lines, line)


def colon_in_brackets(lines: Sequence[str], line: int, column: int) -> Problem | None:
    """The key before a colon in brackets that is followed by another bracket: `{key:[a]}`."""
    text = lines[line] if line < len(lines) else ""
    found = _KEY_BEFORE_COLON.search(text, 0, column)
    if found is None or text[column + 1 : column + 2] not in {"[", "{"}:
        return None
    return on_line("A blank is missing after the colon", line, (found.start(), column + 1), Cause.COLON)


def _without_blank(glued: re.Pattern[str], lines: Sequence[str], line: int) -> Problem | None:
    for at in (line, line - 1, _parent(lines, line)):
        text = lines[at] if 0 <= at < len(lines) else ""
        if found := glued.match(text):
            columns = (found.start(1), len(text.rstrip()))
            return on_line("A blank is missing after the colon", at, columns, Cause.COLON)
    return None


def unfinished_above(lines: Sequence[str], line: int) -> Problem | None:
    """A bare word, or a dash without its blank, above a line and not deeper than it.

    The lines between were meant to be its value.
    """
    indent = _indent(lines[line])
    for above in range(line - 1, -1, -1):
        text = lines[above]
        # The dashes of a list may stand in the column of its key.
        column = _indent(text) + text.lstrip().startswith("- ")
        if text.strip() and not text.lstrip().startswith("#") and column <= indent:
            if dash := _dash_without_blank(text, above):
                return dash
            if word := _WORD.fullmatch(text):
                message = f"'{word[1]}' is no complete entry; add a colon"
                return on_line(message, above, word.span(1), Cause.HALF_KEY)
            indent = _indent(text) - 1
    return None


def shallow_block(lines: Sequence[str], line: int) -> Problem | None:
    """The first line of text below `key: |`, where it is not indented deeper than the key."""
    above = next((it for it in range(min(line, len(lines)) - 1, -1, -1) if lines[it].strip()), -1)
    found = _BLOCK.match(lines[above]) if above >= 0 else None
    if found is None or line >= len(lines) or _indent(lines[line]) > len(found[1]):
        return None
    message = f"The text of '{found[2]}' must be indented deeper than the key"
    text = lines[line].rstrip()
    return on_line(message, line, (_indent(text), len(text)), Cause.SHALLOW_BLOCK)


def open_quote(lines: Sequence[str], line: int) -> Problem | None:
    """The nearest value above a line that starts with a quote which its line does not close."""
    for above in range(line - 1, -1, -1):
        row = row_of(above, lines[above], 1)
        quote = lines[above][row.value : row.value + 1]
        if quote in {"'", '"'}:
            return None if closing(lines[above], row.value) >= 0 else never_closed(lines, above, row.value)
    return None


def never_closed(lines: Sequence[str], line: int, column: int) -> Problem:
    quote = lines[line][column : column + 1]
    message = f"This quote is never closed; add {quote} at the end of the text"
    return on_line(message, line, (column, column + 1), Cause.QUOTE)


def _parent(lines: Sequence[str], line: int) -> int:
    """The nearest line above that is indented less; -1 without one."""
    indent = _indent(lines[line]) if line < len(lines) else 0
    above = (it for it in range(min(line, len(lines)) - 1, -1, -1) if lines[it].strip())
    return next((it for it in above if _indent(lines[it]) < indent), -1)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
