"""Map characters of a scalar's value to the text with its quotes, escapes and indentation.

`span_of_part` maps one part of a value; `scalar_lines` yields all characters with their columns.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from waza_lsp.syntax.text import Place, Span, Text, indent_of
from waza_lsp.syntax.tree.node import Node

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_HEADER = re.compile(r"\|([1-9]?)[-+]?([1-9]?)")
_WIDTHS = {"x": 4, "u": 6, "U": 10}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "_": " ", "N": " "}


class ScalarLine(NamedTuple):
    """One line of a scalar: its characters without quotes and escapes, and the column of each.

    `columns` has one more entry than `text` has characters: the end.
    """

    line: int
    text: str
    columns: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from `start` up to `end`."""
        return Span(Place(self.line, self.columns[start]), Place(self.line, self.columns[end]))


def span_of_part(lines: Sequence[str], start: Place, part: tuple[int, int]) -> Span | None:
    """Return the span of the characters `part` of the scalar that begins at `start`; None if unknown.

    The span of a part with several lines ends with its first line.
    """
    line = lines[start.line].rstrip("\r\n")
    match line[start.column : start.column + 1]:
        case "'" | '"' as quote:
            return _on_line(start.line, _columns_in_quotes(line, start.column + 1, quote), part)
        case "|":
            return _in_block(lines, start, part)
        case ">" | "":
            return None
        case _:
            return _on_line(start.line, range(start.column, len(line) + 1), part)


def scalar_lines(node: Node, start: int, text: Text) -> Iterator[ScalarLine]:
    """Yield the lines of a scalar whose lines count from `start`."""
    (first, column), (last, end) = node.span.shift(start)
    if node.style in {"|", ">"}:
        yield from (_plain(it, text.line(it), 0) for it in range(first + 1, last + 1))
        return
    for line in range(first, last + 1):
        source = text.line(line)
        begin = column + bool(node.style) if line == first else len(source) - len(source.lstrip())
        stop = end - bool(node.style) if line == last else len(source)
        yield _READERS.get(node.style, _plain)(line, source[:stop], begin)


def _on_line(line: int, columns: Sequence[int], part: tuple[int, int]) -> Span | None:
    """Return the span of a part.

    `columns` has the column of each character and the end.
    """
    first, last = part[0], max(part[0] + 1, part[1])
    if first >= len(columns) - 1:
        return None
    return Span(Place(line, columns[first]), Place(line, columns[min(last, len(columns) - 1)]))


def _columns_in_quotes(line: str, column: int, quote: str) -> Sequence[int]:
    """Return the column of each character of a quoted text, then of its end."""
    end = line.find(quote, column)
    if end < 0 or "\\" in line[column:end] or line[end + 1 : end + 2] == quote:
        return list(_quoted_columns(line, column, quote))
    return range(column, end + 1)  # No escapes, as usual. A long file may have a thousand such findings.


def _quoted_columns(line: str, column: int, quote: str) -> Iterator[int]:
    """Yield the column of each character of a quoted text, then of its end."""
    while column < len(line):
        if line[column] == quote:
            if quote == '"' or line[column + 1 : column + 2] != quote:
                break
            yield column
            column += 2
        elif quote == '"' and (escape := _ESCAPE.match(line, column)):
            yield column
            column = escape.end()
        else:
            yield column
            column += 1
    yield column


def _in_block(lines: Sequence[str], start: Place, part: tuple[int, int]) -> Span | None:
    """Return the span of a part of a literal block, where each line break is one character."""
    header = _HEADER.match(lines[start.line], start.column)
    if header is None or header[1] or header[2]:
        return None
    indent = _indent(lines, start.line + 1)
    offset = 0
    for number in range(start.line + 1, len(lines)):
        text = lines[number].rstrip("\r\n")
        length = max(0, len(text) - indent)
        if part[0] <= offset + length:
            columns = list(range(indent, indent + length + 1))
            return _on_line(number, columns, (part[0] - offset, part[1] - offset))
        offset += length + 1
    return None


def _indent(lines: Sequence[str], line: int) -> int:
    return indent_of(next((it for it in lines[line:] if it.strip()), ""))


def _plain(line: int, source: str, begin: int) -> ScalarLine:
    return ScalarLine(line, source[begin:], tuple(range(begin, len(source) + 1)))


def _single(line: int, source: str, begin: int) -> ScalarLine:
    return _read(line, source, begin, lambda at: ("'", 2) if source.startswith("''", at) else (source[at], 1))


def _double(line: int, source: str, begin: int) -> ScalarLine:
    def character(at: int) -> tuple[str, int]:
        if source[at] != "\\" or at + 1 == len(source):
            return source[at], 1
        letter = source[at + 1]
        # No caller needs the character of a numbered escape, only that it is one letter.
        return ("x", _WIDTHS[letter]) if letter in _WIDTHS else (_ESCAPED.get(letter, letter), 2)

    return _read(line, source, begin, character)


def _read(line: int, source: str, begin: int, character: Callable[[int], tuple[str, int]]) -> ScalarLine:
    characters: list[str] = []
    columns: list[int] = []
    at = begin
    while at < len(source):
        found, width = character(at)
        characters.append(found)
        columns.append(at)
        at += width
    return ScalarLine(line, "".join(characters), (*columns, len(source)))


_READERS = {"'": _single, '"': _double}
