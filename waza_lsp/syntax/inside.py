"""Where a part of a scalar's value stands in the text: values leave out quotes, escapes and the indentation of blocks."""

import re
from collections.abc import Iterator, Sequence

from waza_lsp.syntax.text import Place, Span

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_HEADER = re.compile(r"\|([1-9]?)[-+]?([1-9]?)")


def part_of(lines: Sequence[str], start: Place, part: tuple[int, int]) -> Span | None:
    """The stretch of characters `part` of the scalar that begins at `start`; None where it cannot be told.

    A part that goes on in further lines ends with its first one.
    """
    line = lines[start.line].rstrip("\r\n")
    match line[start.column : start.column + 1]:
        case "'" | '"' as quote:
            return _on_line(start.line, list(_characters(line, start.column + 1, quote)), part)
        case "|":
            return _in_block(lines, start, part)
        case ">" | "":
            return None
        case _:
            return _on_line(start.line, list(range(start.column, len(line) + 1)), part)


def _on_line(line: int, columns: Sequence[int], part: tuple[int, int]) -> Span | None:
    """`columns` has the column of each character, and the one behind the last."""
    first, last = part[0], max(part[0] + 1, part[1])
    if first >= len(columns) - 1:
        return None
    return Span(Place(line, columns[first]), Place(line, columns[min(last, len(columns) - 1)]))


def _characters(line: str, column: int, quote: str) -> Iterator[int]:
    """The column of every character of a quoted text, then that of its closing quote (or of the line's end)."""
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
    """In a literal block each line break is one character."""
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
    first = next((it for it in lines[line:] if it.strip()), "")
    return len(first) - len(first.lstrip(" "))
