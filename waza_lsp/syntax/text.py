"""The text of one document version; the only module that converts positions.

The server uses a `Place`, a line and a column in code points, and a `Span` of two places. LSP columns count UTF-16
units, unless client and server agree on UTF-8 or UTF-32. Lines end at LF, CRLF and CR only.

`types` is loaded at its first use, not on import, so that the server's first answer does not wait for it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lsprotocol import types

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
UTF_16 = "utf-16"
_MARK = "\ufeff"
_UNITS: dict[str, Callable[[str], int]] = {
    UTF_16: lambda it: len(it.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-8": lambda it: len(it.encode("utf-8", "surrogatepass")),
    "utf-32": len,
}


class Place(NamedTuple):
    """A position in the text: line and column from zero, the column in code points."""

    line: int
    column: int


class Span(NamedTuple):
    """A range of text from `start` up to, not including, `end`."""

    start: Place
    end: Place

    def contains(self, place: Place) -> bool:
        """Whether the place is inside the span or at either end."""
        return self.start <= place <= self.end

    def shift(self, lines: int) -> "Span":
        """Return the same span `lines` further down."""
        (a, b), (c, d) = self
        return Span(Place(a + lines, b), Place(c + lines, d))


@dataclass(frozen=True, slots=True)
class Text:
    """An immutable text as a list of lines, each with its line end; the last line has none.

    `is_marked`: a byte-order mark precedes the first line. Places do not count it, clients do.
    """

    lines: Sequence[str]
    encoding: str = UTF_16
    is_marked: bool = False

    @classmethod
    def of(cls, source: str, encoding: str = UTF_16) -> "Text":
        """Return the text of a string."""
        return cls(split_lines(source.removeprefix(_MARK)), encoding, source.startswith(_MARK))

    def __str__(self) -> str:
        return _MARK * self.is_marked + "".join(self.lines)

    def line(self, index: int) -> str:
        """Return a line without its line end; empty after the last line."""
        return self.lines[index].rstrip("\r\n") if 0 <= index < len(self.lines) else ""

    @property
    def line_end(self) -> str:
        """The line end of the first line, which new lines use too."""
        first = self.lines[0]
        return first[len(first.rstrip("\r\n")) :] or "\n"

    def place(self, position: "types.Position") -> Place:
        """Convert a client's position; a position after the end of a line means its end."""
        if position.line >= len(self.lines):
            last = len(self.lines) - 1
            return Place(last, len(self.line(last)))
        line = self.line(position.line)
        units = max(0, position.character - self._before(position.line))
        if line.isascii():
            return Place(position.line, min(units, len(line)))
        measure = _measure(self.encoding)
        column = 0
        while column < len(line) and units > 0:
            units -= measure(line[column])
            column += 1
        return Place(position.line, column)

    def position(self, place: Place) -> "types.Position":
        """Convert a place to the client's position."""
        return types.Position(place.line, self._units(place.line, place.column))

    def range(self, span: Span) -> "types.Range":
        """Convert a span to the client's range."""
        return types.Range(self.position(span.start), self.position(span.end))

    def range_json(self, span: Span) -> str:
        """Return a span as a client's range in JSON."""
        (first, start), (last, end) = span
        if last < len(self.lines) and not (self.is_marked and first == 0):
            one, other = self.lines[first], self.lines[last]
            if one.isascii() and other.isascii() and _is_inside(start, one) and _is_inside(end, other):
                return _RANGE % (first, start, last, end)  # The usual case, without conversion.
        return _RANGE % (first, self._units(first, start), last, self._units(last, end))

    def _units(self, index: int, column: int) -> int:
        line, before = self.lines[index] if index < len(self.lines) else "", self._before(index)
        if line.isascii() and column < len(line) - 1:
            return before + column  # Before the line end, which has at most two characters.
        line = line.rstrip("\r\n")
        return before + (min(column, len(line)) if line.isascii() else _measure(self.encoding)(line[:column]))

    def _before(self, index: int) -> int:
        """Return the units of a byte-order mark, which only the client counts."""
        return _measure(self.encoding)(_MARK) if self.is_marked and index == 0 else 0

    def start_and_length(self, span: Span) -> tuple[int, int, int]:
        """Return line, column and length of a span in one line, in the client's units."""
        (line, first), (_, last) = span
        text, before = self.line(line), self._before(line)
        if text.isascii():
            return line, before + first, last - first
        measure = _measure(self.encoding)
        return line, before + measure(text[:first]), measure(text[first:last])

    def slice(self, span: Span) -> str:
        """Return the text of a span."""
        (first, start), (last, end) = span
        if first == last:
            return self.line(first)[start:end]
        middle = self.lines[first + 1 : last]
        return "".join([self.lines[first][start:], *middle, self.line(last)[:end]])

    def replace_range(self, where: "types.Range", new: str) -> "Text":
        """Return the text with a client's range replaced, which may start before a byte-order mark."""
        span = Span(self.place(where.start), self.place(where.end))
        if span.start > (0, 0):
            return self.replace(span, new)
        if not (self.is_marked or new.startswith(_MARK)):
            found = self.replace(span, new)
            # The edit may have removed the text before a mark.
            return Text.of(str(found), self.encoding) if found.lines[0].startswith(_MARK) else found
        before = _MARK * (self.is_marked and where.start.character > 0)
        after = _MARK * (self.is_marked and where.end.line == 0 == where.end.character)
        bare = Text(self.lines, self.encoding)
        return Text.of(before + str(bare.replace(span, new + after)), self.encoding)

    def replace(self, span: Span | None, new: str) -> "Text":
        """Return the text with a span replaced; without a span, a new text."""
        if span is None:
            return Text.of(new, self.encoding)
        (first, start), (last, end) = span
        replaced = split_lines(self.lines[first][:start] + new + self.lines[last][end:])
        if last + 1 < len(self.lines):
            replaced.pop()  # The text ends in the line end of `last`; no empty line follows.
        # One copy of the list: to touch each line of a long text is the largest part of an edit.
        lines = list(self.lines)
        lines[first : last + 1] = replaced
        return Text(_join_crlf(lines, first), self.encoding, self.is_marked)


def _is_inside(column: int, line: str) -> bool:
    """Whether a column is surely in a line or at its end, not inside a line end of two characters."""
    last = len(line) - 1
    return column < last or (column == last and line[last] == "\n" and line[last - 1 :] != "\r\n")


def _measure(encoding: str) -> Callable[[str], int]:
    # Compared, not looked up: the library's enum members equal these names but have other hashes.
    return next(measure for name, measure in _UNITS.items() if name == encoding)


_RANGE = '{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}'


def range_json(it: "types.Range") -> str:
    """Return a client's range as JSON."""
    return _RANGE % (it.start.line, it.start.character, it.end.line, it.end.character)


def indent_of(line: str) -> int:
    """Return the number of spaces that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def split_lines(source: str) -> list[str]:
    """Split a text into lines with their line ends.

    After a final line end, an empty line follows.
    """
    lines = source.splitlines(keepends=True) if _is_simple(source) else _LINE.findall(source)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


def _is_simple(source: str) -> bool:
    # str.splitlines splits at more characters than LSP, but most texts have none of them.
    return source.isascii() and not any(it in source for it in "\v\f\x1c\x1d\x1e")


def _join_crlf(lines: list[str], first: int) -> list[str]:
    """Join a CR and an LF that an edit has brought together into one line end."""
    if first > 0 and lines[first - 1].endswith("\r") and first < len(lines) and lines[first].startswith("\n"):
        lines[first - 1 : first + 1] = split_lines(lines[first - 1] + lines[first])[:-1] or [""]
    return lines
