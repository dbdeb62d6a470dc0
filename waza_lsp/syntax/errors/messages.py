"""libyaml's complaints in the author's words, on the smallest stretch of text at fault."""

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
    bracket_without_blank,
    colon_in_brackets,
    colon_without_blank,
    mark_without_blank,
    never_closed,
    odd_blanks,
    odd_key,
    on_line,
    open_quote,
    shallow_block,
    template,
    unfinished_above,
)
from waza_lsp.syntax.text import Place, Span, split_lines
from waza_lsp.syntax.tree.builder import BREAKS

INDENTED = "This line is indented differently from its neighbours; align it with them"
_HALF_ENTRY = re.compile(r"\s*(?:- +)*\w[\w.-]*(?:\s|$)")
_CLOSING = {"[": "]", "{": "}"}
_DASH_OF_A_WORD = re.compile(r"-(?=[^\s-])")


def problem_of(source: str, error: yaml.YAMLError) -> Problem:
    """Say what libyaml stumbled over."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return _unmarked(source, error)
    found = _marked(source, error)
    if not any(it in source for it in BREAKS):
        return found
    start, end = (_by_our_lines(source, it) for it in found.span)
    return replace(found, span=Span(start, end))


def is_behind_root(error: yaml.YAMLError) -> bool:
    """Whether the whole value of a piece was read, and something stands behind it."""
    return isinstance(error, yaml.MarkedYAMLError) and "<document start>" in str(error.problem)


def _by_our_lines(source: str, place: Place) -> Place:
    """A place that was counted with the line ends of libyaml, which knows more of them."""
    index = sum(map(len, source.splitlines(keepends=True)[: place.line])) + place.column
    before = split_lines(source[:index])
    return Place(len(before) - 1, len(before[-1]))


def _marked(source: str, error: yaml.MarkedYAMLError) -> Problem:
    lines = source.splitlines() or [""]
    mark = error.problem_mark or error.context_mark
    line, column = (int(mark.line), int(mark.column)) if mark else (0, 0)
    context = int(error.context_mark.line) if error.context_mark else line
    found = (
        template(lines, (line, line - 1, context))
        or mark_without_blank(lines, line)
        or _told_by_the_context(lines, error)
    )
    if found is not None:
        return found
    message, cause = _sentence(str(error.problem))
    if cause is Cause.BLOCK_LINE and line < len(lines):
        return on_line(message, line, (column, len(lines[line].rstrip())), cause)
    # libyaml stops behind the mark that wants a name.
    start = column - 1 if message is _NAMELESS else column
    return Problem(message, _token(lines, line, start), cause)


def _unmarked(source: str, error: Any) -> Problem:
    position = getattr(error, "position", None)
    if position is None:
        return Problem(_sentence(str(error))[0], Span(Place(0, 0), Place(0, 1)))
    before = source[:position]
    line = before.count("\n")
    column = position - (before.rfind("\n") + 1)
    code = f"U+{ord(source[position]):04X}" if position < len(source) else "a character"
    message = f"{code} is not allowed in YAML; remove it, or write it as an escape in double quotes"
    return Problem(message, Span(Place(line, column), Place(line, column + 1)), Cause.FORBIDDEN)


def _told_by_the_context(lines: list[str], error: yaml.MarkedYAMLError) -> Problem | None:
    """Causes that stand where libyaml's construct began, not where it gave up."""
    problem, context, mark = str(error.problem), str(error.context or ""), error.context_mark
    at = error.problem_mark
    if at is not None and is_behind_root(error):
        return _behind_the_root(lines, at.line, at.column)
    if mark is None or at is None:
        return _stray_colon(lines, error)
    if "end of stream" in problem and "quoted scalar" in context:
        return never_closed(lines, mark.line, mark.column)
    if "flow" in context:
        return _bracket(lines) or _quote_in_brackets(lines, at.line)
    if "unexpected ':'" in problem:
        return colon_in_brackets(lines, at.line, at.column)
    if "simple key" in context:
        return half_key(lines, mark.line, mark.column)
    if "block mapping" in context or "block collection" in context:
        return _misplaced(lines, at.line, at.column)
    return None


def _bracket(lines: list[str]) -> Problem | None:
    """An opening bracket without its partner, found by counting from the top of the piece."""
    open_ones: list[tuple[str, int, int]] = []
    for line, text in enumerate(lines):
        for column, it in _outside_quotes(text)[0]:
            if it in _CLOSING:
                open_ones.append((it, line, column))
            elif it in "]}" and open_ones:
                if open_ones[-1][1] < line and _CLOSING[open_ones[-1][0]] != it:
                    return _never_closed_bracket(*open_ones[-1])
                open_ones.pop()
    return _never_closed_bracket(*open_ones[-1]) if open_ones else None


def _never_closed_bracket(bracket: str, line: int, column: int) -> Problem:
    message = f"This bracket is never closed; add {_CLOSING[bracket]}"
    return on_line(message, line, (column, column + 1), Cause.BRACKET)


def _quote_in_brackets(lines: list[str], line: int) -> Problem | None:
    """The nearest quote above a line that its own line does not close: the text goes on to where the next one begins."""
    for above in range(min(line, len(lines)) - 1, -1, -1):
        column = _outside_quotes(lines[above])[1]
        if column >= 0:
            return never_closed(lines, above, column)
    return None


def _outside_quotes(text: str) -> tuple[list[tuple[int, str]], int]:
    """The characters of a line that are neither quoted nor commented; the column of a quote that it leaves open, or -1."""
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


def half_key(lines: Sequence[str], line: int, column: int) -> Problem:
    """What is wrong with text that stands where a key is expected."""
    text = lines[line] if line < len(lines) else ""
    word = text[column:].rstrip()
    if found := odd_blanks(text, line) or odd_key(lines, line):
        return found
    if found := colon_without_blank(lines, line) or shallow_block(lines, line):
        return found
    columns = (column, column + len(word))
    if _DASH_OF_A_WORD.match(word):
        return on_line("A blank is missing after the dash", line, columns, Cause.DASH)
    if word.startswith("*") and ":" in word:
        return on_line("An alias cannot be a key here; write the key itself", line, columns, Cause.OTHER)
    return on_line(f"'{word}' is no complete entry; add a colon and a value", line, columns, Cause.HALF_KEY)


def stray(lines: Sequence[str]) -> Problem:
    """What is wrong with text that can be read and is no part of the top level: half a key, or lines above the first one."""
    text = lines[0].rstrip()
    start, row = len(text) - len(text.lstrip()), row_of(0, text, 1)
    if row.dashes:
        message = "This item is in no list; remove the dash, or write the key of its list above"
        return on_line(message, 0, (start, len(text)), Cause.OTHER)
    if row.key is not None and start:
        return on_line(INDENTED, 0, (start, row.key_end), Cause.INDENTATION)
    return half_key(lines, 0, start)


def _misplaced(lines: list[str], line: int, column: int) -> Problem | None:
    text = lines[line] if line < len(lines) else ""
    if not text.strip():
        return None
    indent = len(text) - len(text.lstrip())
    if column == indent:
        if not row_of(line, text, 1).dashes:
            line, indent = _odd_one(lines, line, indent)
            text = lines[line]
        end = len(text.split(":")[0].rstrip()) if ":" in text else len(text.rstrip())
        found = odd_key(lines, line) or unfinished_above(lines, line)
        return found or on_line(INDENTED, line, (indent, end), Cause.INDENTATION)
    columns = (column, len(text.rstrip()))
    found = open_quote(lines, line) or bracket_without_blank(lines, line)
    return found or on_line(_TEXT_AFTER, line, columns, Cause.TEXT_AFTER)


def _odd_one(lines: list[str], line: int, indent: int) -> tuple[int, int]:
    """The key at fault and its column: the single one above that stands deeper, if several stand as this one does."""
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


def _behind_the_root(lines: list[str], line: int, column: int) -> Problem | None:
    """Text below a list, in none of its columns, or behind a bracket that closes it all."""
    if line >= len(lines) or column >= len(lines[line]):  # A directive, which wants a document below it.
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
    if found := colon_without_blank(lines, at.line) or odd_key(lines, at.line):
        return found
    if ": " in text[: at.column]:
        columns = (at.column, at.column + 1)
        return on_line("A second ': ' in one line; quote the value", at.line, columns, Cause.SECOND_COLON)
    if found := unfinished_above(lines, at.line):
        return found
    if ":" in previous or not _HALF_ENTRY.match(previous):
        columns = (len(text) - len(text.lstrip()), at.column)
        return on_line(INDENTED, at.line, columns, Cause.INDENTATION)
    columns = (len(previous) - len(previous.lstrip()), len(previous.rstrip()))
    message = f"'{previous.strip()}' is no complete entry; add a colon"
    return on_line(message, at.line - 1, columns, Cause.HALF_KEY)


def _token(lines: list[str], line: int, column: int) -> Span:
    """The word at a place; at the end of the text, the last word there is."""
    if line >= len(lines) or not lines[line].strip():
        line = max((i for i, text in enumerate(lines[: line + 1]) if text.strip()), default=0)
        column = len(lines[line].rstrip()) - 1
    text = lines[line]
    column = max(0, min(column, len(text.rstrip()) - 1))
    end = column
    while end < len(text) and not text[end].isspace():
        end += 1
    return Span(Place(line, column), Place(line, max(end, column + 1)))


_TEXT_AFTER = "Unexpected text after the value; remove it or quote the whole value"
_NAMELESS = "An anchor or alias needs a name; quote the value if it is a text"
_SENTENCES = {
    "found invalid Unicode character escape code": (
        "This escape stands for half a character, or none; write the character itself",
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
        "The text of a block begins on the next line; move it there, or quote the value",
        Cause.BLOCK_LINE,
    ),
}


def _sentence(problem: str) -> tuple[str, Cause]:
    for known, sentence in _SENTENCES.items():
        if problem.startswith(known):
            return sentence
    return f"Not valid YAML: {problem}", Cause.OTHER
