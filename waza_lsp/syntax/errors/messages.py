"""Turn libyaml's errors into messages for authors, on the smallest span at fault."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import yaml

from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.errors.hints import (
    Cause,
    Problem,
    bracket_without_space,
    colon_in_brackets,
    colon_without_space,
    dash_without_space_or_tab,
    invalid_key,
    on_line,
    open_quote,
    shallow_block,
    unclosed_quote,
    unfinished_above,
    unquoted_template,
    unusual_spaces,
)
from waza_lsp.syntax.errors.paragraphs import list_below_text, paragraph_at
from waza_lsp.syntax.text import Place, Span, split_lines
from waza_lsp.syntax.tree.builder import EXTRA_LINE_BREAKS

INDENTED = "This line is indented differently from its neighbours; align it with them"
_SECOND_COLON = "Second ': ' on one line; quote the value"
_VALUE_IN_BRACKETS = re.compile(
    r"""(?:^|[\[{,])\s*(?:[\w.-]+|"[^"]*"|'[^']*')\s*:\s+([^\s,\[\]{}'"][^,\[\]{}]*)$"""
)
_REST_OF_ITEM = re.compile(r"[^,\]}]*")
_REST_OF_VALUE = re.compile(r"(?:[^,\]}]|,(?!\s*(?:[\w.-]+\s*:(?:\s|$)|[\"'#\]}]|$)))*")
IN_TEXT = "YAML reads ': ' in this text as a key; quote the whole text"
_HALF_ENTRY = re.compile(r"\s*(?:- +)*\w[\w.-]*(?:\s|$)")
_CLOSING = {"[": "]", "{": "}"}
_DASH_OF_A_WORD = re.compile(r"-(?=[^\s-])")
_TEXT_AFTER = "Unexpected text after the value; remove it or quote the whole value"
_NAMELESS = "An anchor or alias needs a name; quote the value if it is meant as text"
_TRANSLATIONS = {
    "found invalid Unicode character escape code": (
        "This escape is not a whole character; write the character itself",
        Cause.OTHER,
    ),
    "found character that cannot start any token": (
        "This character cannot start a value; put the value in quotes",
        Cause.FIRST_CHARACTER,
    ),
    "found unknown escape character": (
        "Unknown escape in double quotes; use single quotes, or double the backslash",
        Cause.ESCAPE,
    ),
    "found undefined tag handle": ("Unknown tag", Cause.OTHER),
    "did not find expected alphabetic or numeric character": (_NAMELESS, Cause.FIRST_CHARACTER),
    "did not find expected comment or line break": (
        "Block text starts on the line below the | or >; move it there, or quote the value",
        Cause.BLOCK_LINE,
    ),
}


def problem_from_error(source: str, error: yaml.YAMLError) -> Problem:
    """Return the problem that made libyaml give up."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return _problem_without_mark(source, error)
    found = _problem_with_mark(source, error)
    if not any(it in source for it in EXTRA_LINE_BREAKS):
        return found
    start, end = (_in_lsp_lines(source, it) for it in found.span)
    return replace(found, span=Span(start, end))


def is_after_root(error: yaml.YAMLError) -> bool:
    """Whether libyaml read a complete value and found more text after it."""
    return isinstance(error, yaml.MarkedYAMLError) and "<document start>" in str(error.problem)


def half_key_problem(lines: Sequence[str], line: int, column: int) -> Problem:
    """Return the problem of text where a key is expected."""
    text = lines[line] if line < len(lines) else ""
    word = text[column:].rstrip()
    if found := unusual_spaces(text, line) or invalid_key(lines, line):
        return found
    if found := colon_without_space(lines, line) or shallow_block(lines, line):
        return found
    columns = (column, column + len(word))
    if _DASH_OF_A_WORD.match(word):
        return on_line("Missing space after '-'", line, columns, Cause.DASH)
    if word.startswith("*") and ":" in word:
        return on_line("An alias cannot be used as a key; write the key itself", line, columns, Cause.OTHER)
    return on_line(f"Missing ':' after '{word}'", line, columns, Cause.HALF_KEY)


def stray_line_problem(lines: Sequence[str]) -> Problem:
    """Return the problem of readable lines that are not part of the top level.

    Either a key without its colon, or lines above the first key.
    """
    text = lines[0].rstrip()
    start, row = len(text) - len(text.lstrip()), row_of(0, text, 1)
    if row.dashes:
        message = "This item is not part of a list; remove the dash, or add the key of its list above"
        return on_line(message, 0, (start, len(text)), Cause.OTHER)
    if row.key is not None and start:
        return on_line(INDENTED, 0, (start, row.key_end), Cause.INDENTATION)
    return half_key_problem(lines, 0, start)


def _in_lsp_lines(source: str, place: Place) -> Place:
    """Convert a place of libyaml, which recognises more line ends than LSP."""
    index = sum(map(len, source.splitlines(keepends=True)[: place.line])) + place.column
    before = split_lines(source[:index])
    return Place(len(before) - 1, len(before[-1]))


def _problem_with_mark(source: str, error: yaml.MarkedYAMLError) -> Problem:
    lines = source.splitlines() or [""]
    mark = error.problem_mark or error.context_mark
    line, column = (int(mark.line), int(mark.column)) if mark else (0, 0)
    context = int(error.context_mark.line) if error.context_mark else line
    found = (
        unquoted_template(lines, (line, line - 1, context))
        or dash_without_space_or_tab(lines, line)
        or _problem_from_context(lines, error)
    )
    if found is not None:
        return found
    message, cause = _translate(str(error.problem))
    if cause is Cause.BLOCK_LINE and line < len(lines):
        return on_line(message, line, (column, len(lines[line].rstrip())), cause)
    # libyaml stops after the & or * that lacks a name.
    start = column - 1 if message is _NAMELESS else column
    return Problem(message, _word_at(lines, line, start), cause)


def _problem_without_mark(source: str, error: Any) -> Problem:
    position = getattr(error, "position", None)
    if position is None:
        return Problem(_translate(str(error))[0], Span(Place(0, 0), Place(0, 1)))
    before = source[:position]
    line = before.count("\n")
    column = position - (before.rfind("\n") + 1)
    code = f"U+{ord(source[position]):04X}" if position < len(source) else "a character"
    message = f"{code} is not allowed in YAML; remove it, or write it as an escape in double quotes"
    return Problem(message, Span(Place(line, column), Place(line, column + 1)), Cause.FORBIDDEN)


def _problem_from_context(lines: list[str], error: yaml.MarkedYAMLError) -> Problem | None:
    """Look for causes where libyaml's construct began, not where libyaml gave up."""
    problem, context, mark = str(error.problem), str(error.context or ""), error.context_mark
    at = error.problem_mark
    if at is not None and is_after_root(error):
        return _text_after_root(lines, at.line, at.column)
    if mark is None or at is None:
        return _stray_colon(lines, error)
    if "end of stream" in problem and "quoted scalar" in context:
        return unclosed_quote(lines, mark.line, mark.column)
    if "flow" in context:
        return (
            _unclosed_bracket(lines)
            or _second_colon_in_brackets(lines, at.line, at.column)
            or _quote_in_brackets(lines, at.line)
        )
    if "unexpected ':'" in problem:
        return colon_in_brackets(lines, at.line, at.column)
    if "simple key" in context:
        if paragraph_at(lines, Place(mark.line, 0)) is not None:
            columns = (mark.column, len(lines[mark.line].rstrip()))
            return on_line(IN_TEXT, mark.line, columns, Cause.SECOND_COLON)
        return half_key_problem(lines, mark.line, mark.column)
    if "block mapping" in context or "block collection" in context:
        return _misplaced(lines, at.line, at.column)
    return None


def _unclosed_bracket(lines: list[str]) -> Problem | None:
    """Find an opening bracket that is never closed, counting from the top of the piece."""
    opened: list[tuple[str, int, int]] = []
    for line, text in enumerate(lines):
        for column, it in _outside_quotes(text)[0]:
            if it in _CLOSING:
                opened.append((it, line, column))
            elif it in "]}" and opened:
                if opened[-1][1] < line and _CLOSING[opened[-1][0]] != it:
                    return _bracket_problem(*opened[-1])
                opened.pop()
    return _bracket_problem(*opened[-1]) if opened else None


def _second_colon_in_brackets(lines: list[str], line: int, column: int) -> Problem | None:
    """Find the value of `{key: Be good: yes}`, up to the next key or bracket; in a list, up to the next comma."""
    text = lines[line] if line < len(lines) else ""
    before = _VALUE_IN_BRACKETS.search(text, 0, column) if text[column : column + 1] == ":" else None
    if before is None:
        return None
    after = (_REST_OF_ITEM if _innermost_bracket(text[:column]) == "[" else _REST_OF_VALUE).match(
        text, column
    )
    end = after.end() if after is not None else column + 1
    return on_line(
        _SECOND_COLON, line, (before.start(1), len(text[:end].rstrip())), Cause.SECOND_COLON_IN_BRACKETS
    )


def _innermost_bracket(text: str) -> str:
    """Return the last bracket that a line opens and does not close, or ""."""
    opened: list[str] = []
    for _, it in _outside_quotes(text)[0]:
        if it in _CLOSING:
            opened.append(it)
        elif it in "]}" and opened:
            opened.pop()
    return opened[-1] if opened else ""


def _bracket_problem(bracket: str, line: int, column: int) -> Problem:
    message = f"This bracket is never closed; add {_CLOSING[bracket]}"
    return on_line(message, line, (column, column + 1), Cause.BRACKET)


def _quote_in_brackets(lines: list[str], line: int) -> Problem | None:
    """Find the nearest quote above a line that its own line does not close.

    libyaml reads on to where the next quote begins.
    """
    for above in range(min(line, len(lines)) - 1, -1, -1):
        column = _outside_quotes(lines[above])[1]
        if column >= 0:
            return unclosed_quote(lines, above, column)
    return None


def _outside_quotes(text: str) -> tuple[list[tuple[int, str]], int]:
    """Return the characters outside quotes and comments, and the column of an unclosed quote.

    The column is -1 if every quote is closed.
    """
    result: list[tuple[int, str]] = []
    quote, start = "", -1
    for column, it in enumerate(text):
        if quote:
            quote = "" if it == quote else quote
        elif it in "'\"" and (column == 0 or text[column - 1] in " [{,:"):
            quote, start = it, column
        elif it == "#" and (column == 0 or text[column - 1] == " "):
            break
        else:
            result.append((column, it))
    return result, start if quote else -1


def _misplaced(lines: list[str], line: int, column: int) -> Problem | None:
    text = lines[line] if line < len(lines) else ""
    if not text.strip():
        return None
    indent = len(text) - len(text.lstrip())
    if column == indent:
        if not row_of(line, text, 1).dashes:
            line, indent = _misaligned_line(lines, line, indent)
            text = lines[line]
        end = len(text.split(":")[0].rstrip()) if ":" in text else len(text.rstrip())
        found = invalid_key(lines, line) or _graders_below_text(lines, line) or unfinished_above(lines, line)
        return found or on_line(INDENTED, line, (indent, end), Cause.INDENTATION)
    columns = (column, len(text.rstrip()))
    found = open_quote(lines, line) or bracket_without_space(lines, line)
    return found or on_line(_TEXT_AFTER, line, columns, Cause.TEXT_AFTER)


def _graders_below_text(lines: list[str], line: int) -> Problem | None:
    place = list_below_text(lines, line)
    if place is None:
        return None
    text = lines[place.line]
    columns = (len(text) - len(text.lstrip()), len(text.rstrip()))
    return on_line("'graders:' is missing above this list", place.line, columns, Cause.LIST_BELOW_TEXT)


def _misaligned_line(lines: list[str], line: int, indent: int) -> tuple[int, int]:
    """Return the line at fault and its column.

    Usually the given line. If several lines are indented like it, the fault is a single deeper line above them.
    """
    columns = [_indent_of_content(it) for it in lines]
    below = takewhile(lambda it: it is None or it >= indent, columns[line:])
    deeper: list[tuple[int, int]] = []
    for it in range(line - 1, -1, -1):
        column = columns[it]
        if column == indent:
            return line, indent
        if column is not None and column < indent:
            break
        if column is not None:
            deeper.append((column, it))
    if not deeper or sum(it == indent for it in below) == 1:
        return line, indent
    column, first = deeper[-1]
    is_single = all(it > column for it, _ in deeper[:-1])
    return (first, column) if is_single else (line, indent)


def _text_after_root(lines: list[str], line: int, column: int) -> Problem | None:
    """Return the problem of text after the end of the whole value.

    It is below a list in another column, or after the closing bracket.
    """
    if line >= len(lines) or column >= len(lines[line]):  # A directive without a document below it.
        line = max(it for it, text in enumerate(lines) if _indent_of_content(text) is not None)
        column = _indent_of_content(lines[line]) or 0
    root = next((it for it in map(_indent_of_content, lines) if it is not None), 0)
    if column < root and lines[line][column] not in "]},":
        return _misplaced(lines, line, column)
    return on_line(_TEXT_AFTER, line, (column, len(lines[line].rstrip())), Cause.TEXT_AFTER)


def _indent_of_content(text: str) -> int | None:
    content = text.lstrip()
    return len(text) - len(content) if content and not content.startswith("#") else None


def _stray_colon(lines: list[str], error: yaml.MarkedYAMLError) -> Problem | None:
    at = error.problem_mark
    if at is None or "mapping values" not in str(error.problem):
        return None
    text = lines[at.line] if at.line < len(lines) else ""
    previous = lines[at.line - 1] if at.line else ""
    if found := colon_without_space(lines, at.line) or invalid_key(lines, at.line):
        return found
    if ": " in text[: at.column]:
        columns = (at.column, at.column + 1)
        return on_line(_SECOND_COLON, at.line, columns, Cause.SECOND_COLON)
    if paragraph_at(lines, Place(at.line, 0)) is not None:
        return on_line(IN_TEXT, at.line, (at.column, at.column + 1), Cause.SECOND_COLON)
    if found := _graders_below_text(lines, at.line) or unfinished_above(lines, at.line):
        return found
    if ":" in previous or not _HALF_ENTRY.match(previous):
        columns = (len(text) - len(text.lstrip()), at.column)
        return on_line(INDENTED, at.line, columns, Cause.INDENTATION)
    columns = (len(previous) - len(previous.lstrip()), len(previous.rstrip()))
    message = f"Missing ':' after '{previous.strip()}'"
    return on_line(message, at.line - 1, columns, Cause.HALF_KEY)


def _word_at(lines: list[str], line: int, column: int) -> Span:
    """Return the span of the word at a place, or of the last word."""
    if line >= len(lines) or not lines[line].strip():
        line = max((i for i, text in enumerate(lines[: line + 1]) if text.strip()), default=0)
        column = len(lines[line].rstrip()) - 1
    text = lines[line]
    column = max(0, min(column, len(text.rstrip()) - 1))
    end = column
    while end < len(text) and not text[end].isspace():
        end += 1
    return Span(Place(line, column), Place(line, max(end, column + 1)))


def _translate(problem: str) -> tuple[str, Cause]:
    for start, translation in _TRANSLATIONS.items():
        if problem.startswith(start):
            return translation
    return f"Not valid YAML: {problem}", Cause.OTHER
