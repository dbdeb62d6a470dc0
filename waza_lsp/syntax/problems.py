"""libyaml's complaints in the author's words, on the smallest stretch of text at fault (peers.md, V11 to V18)."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import yaml

from waza_lsp.syntax.rows import row_of
from waza_lsp.syntax.text import Place, Span

_TAB = re.compile(r"^ *\t+")
_NO_SPACE_AFTER_COLON = re.compile(r"^\s*(?:- )*([\w.-]+):(?=[^\s:/\\])")
_NO_SPACE_AFTER_DASH = re.compile(r"^\s*(-)(?=[A-Za-z_][\w.-]*:(?:\s|$))")


class Cause(StrEnum):
    """What the author did, as far as the text tells."""

    DASH = "no blank after a dash"
    COLON = "no blank after a colon"
    TAB = "tab in the indentation"
    QUOTE = "quote without its end"
    BRACKET = "bracket without its end"
    HALF_KEY = "key without a colon"
    INDENTATION = "line in no column of its neighbours"
    TEXT_AFTER = "text after a complete value"
    SECOND_COLON = "colon in a value"
    FIRST_CHARACTER = "character that cannot start a value"
    ESCAPE = "unknown escape in double quotes"
    TEMPLATE = "template without quotes"
    FORBIDDEN = "character that YAML does not allow"
    OTHER = "something else"


@dataclass(frozen=True, slots=True)
class Problem:
    """A syntax problem: what is wrong and what to do, and where (relative to its piece)."""

    message: str
    span: Span
    cause: Cause = Cause.OTHER


def problem_of(source: str, error: yaml.YAMLError) -> Problem:
    """Say what libyaml stumbled over."""
    lines = source.splitlines() or [""]
    if not isinstance(error, yaml.MarkedYAMLError):
        return _unmarked(source, error)
    mark = error.problem_mark or error.context_mark
    line, column = (int(mark.line), int(mark.column)) if mark else (0, 0)
    context = int(error.context_mark.line) if error.context_mark else line
    found = (
        _template(lines, (line, line - 1, context))
        or _seen_on_the_lines(lines, line)
        or _told_by_the_context(lines, error)
    )
    if found is not None:
        return found
    message, cause = _sentence(str(error.problem))
    return Problem(message, _token(lines, line, column), cause)


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


TEMPLATE_MESSAGE = "A value that starts with {{ needs quotes; without them YAML reads brackets"


def _template(lines: list[str], at: tuple[int, ...]) -> Problem | None:
    """A value that starts with `{{`: a text to people, brackets to YAML."""
    for line in at:
        text = lines[line] if 0 <= line < len(lines) else ""
        row = row_of(line, text, 1)
        start = row.value
        if text[start : start + 1] == "[":
            start = text.find("{{", start)
        if start >= 0 and text.startswith("{{", start):
            end = row.end if start == row.value else _end_in_brackets(text, start)
            return _on(TEMPLATE_MESSAGE, line, (start, end), Cause.TEMPLATE)
    return None


def _end_in_brackets(text: str, start: int) -> int:
    depth = 0
    for column in range(start, len(text)):
        depth += (text[column] == "{") - (text[column] == "}")
        if depth == 0 and text[column] in ",]":
            return len(text[:column].rstrip())
    return len(text.rstrip())


def _seen_on_the_lines(lines: list[str], at: int) -> Problem | None:
    """Causes that show on the line of the error or the one before it."""
    for line in (at, at - 1):
        text = lines[line] if 0 <= line < len(lines) else ""
        if found := _NO_SPACE_AFTER_DASH.match(text):
            return _on(
                "A blank is missing after the dash", line, (found.start(1), len(text.rstrip())), Cause.DASH
            )
        if found := _TAB.match(text):
            start = found.group().index("\t")
            return _on("Tabs cannot indent YAML; use blanks", line, (start, found.end()), Cause.TAB)
    return None


def _told_by_the_context(lines: list[str], error: yaml.MarkedYAMLError) -> Problem | None:
    """Causes that stand where libyaml's construct began, not where it gave up."""
    problem, context, mark = str(error.problem), str(error.context or ""), error.context_mark
    at = error.problem_mark
    if mark is None or at is None:
        return _stray_colon(lines, error)
    if "end of stream" in problem and "quoted scalar" in context:
        quote = lines[mark.line][mark.column : mark.column + 1]
        return _on(
            f"This quote is never closed; add {quote} at the end of the text",
            mark.line,
            (mark.column, mark.column + 1),
            Cause.QUOTE,
        )
    if "flow" in context:
        return _bracket(lines)
    if "simple key" in context:
        return _half_key(lines, mark.line, mark.column)
    if "block mapping" in context or "block collection" in context:
        return _misplaced(lines, at.line, at.column)
    return None


def _bracket(lines: list[str]) -> Problem | None:
    """An opening bracket without its partner, found by counting from the top of the piece."""
    open_ones: list[tuple[str, int, int]] = []
    for line, text in enumerate(lines):
        for column, it in _outside_quotes(text):
            if it in "[{":
                open_ones.append((it, line, column))
            elif it in "]}" and open_ones:
                open_ones.pop()
    if not open_ones:
        return None
    bracket, line, column = open_ones[-1]
    closing = "]" if bracket == "[" else "}"
    return _on(f"This bracket is never closed; add {closing}", line, (column, column + 1), Cause.BRACKET)


def _outside_quotes(text: str) -> list[tuple[int, str]]:
    """The characters of a line that are neither quoted nor commented."""
    result: list[tuple[int, str]] = []
    quote = ""
    for column, it in enumerate(text):
        if quote:
            quote = "" if it == quote else quote
        elif it in "'\"" and (column == 0 or text[column - 1] in " [{,:"):
            quote = it
        elif it == "#" and (column == 0 or text[column - 1] == " "):
            break
        else:
            result.append((column, it))
    return result


def _half_key(lines: list[str], line: int, column: int) -> Problem:
    text = lines[line] if line < len(lines) else ""
    word = text[column:].rstrip()
    if found := _NO_SPACE_AFTER_COLON.match(text):
        return _on(
            "A blank is missing after the colon", line, (found.start(1), len(text.rstrip())), Cause.COLON
        )
    message = f"'{word}' is no complete entry; add a colon and a value"
    return _on(message, line, (column, column + len(word)), Cause.HALF_KEY)


def _misplaced(lines: list[str], line: int, column: int) -> Problem | None:
    text = lines[line] if line < len(lines) else ""
    if not text.strip():
        return None
    indent = len(text) - len(text.lstrip())
    if column == indent:
        end = len(text.split(":")[0].rstrip()) if ":" in text else len(text.rstrip())
        return _on(
            "This line is indented differently from its neighbours; align it with them",
            line,
            (column, end),
            Cause.INDENTATION,
        )
    return _on(
        "Unexpected text after the value; remove it or quote the whole value",
        line,
        (column, len(text.rstrip())),
        Cause.TEXT_AFTER,
    )


def _stray_colon(lines: list[str], error: yaml.MarkedYAMLError) -> Problem | None:
    at = error.problem_mark
    if at is None or "mapping values" not in str(error.problem):
        return None
    text = lines[at.line] if at.line < len(lines) else ""
    previous = lines[at.line - 1] if at.line else ""
    if found := _NO_SPACE_AFTER_COLON.match(previous):
        columns = (found.start(1), len(previous.rstrip()))
        return _on("A blank is missing after the colon", at.line - 1, columns, Cause.COLON)
    indent = len(text) - len(text.lstrip(" "))
    if (
        ": " not in text[: at.column]
        and ":" in previous
        and indent > len(previous) - len(previous.lstrip(" "))
    ):
        message = "This line is indented deeper than its neighbours; align it with them"
        return _on(message, at.line, (indent, at.column), Cause.INDENTATION)
    if text[: at.column].count(": ") or previous.strip() == "" or ":" in previous:
        columns = (at.column, at.column + 1)
        return _on("A second ': ' in one line; quote the value", at.line, columns, Cause.SECOND_COLON)
    start = len(previous) - len(previous.lstrip())
    return _on(
        f"'{previous.strip()}' is no complete entry; add a colon",
        at.line - 1,
        (start, len(previous.rstrip())),
        Cause.HALF_KEY,
    )


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


def _on(message: str, line: int, columns: tuple[int, int], cause: Cause) -> Problem:
    return Problem(message, Span(Place(line, columns[0]), Place(line, columns[1])), cause)


_SENTENCES = {
    "found character that cannot start any token": (
        "This character cannot start a value; put the value in quotes",
        Cause.FIRST_CHARACTER,
    ),
    "found unknown escape character": (
        "Unknown escape in double quotes; use single quotes, or double the backslash",
        Cause.ESCAPE,
    ),
    "found undefined tag handle": ("Unknown tag", Cause.OTHER),
    "did not find expected alphabetic or numeric character": (
        "An anchor or alias needs a name; quote the value if it is a text",
        Cause.FIRST_CHARACTER,
    ),
}


def _sentence(problem: str) -> tuple[str, Cause]:
    for known, sentence in _SENTENCES.items():
        if problem.startswith(known):
            return sentence
    return f"Not valid YAML: {problem}", Cause.OTHER
