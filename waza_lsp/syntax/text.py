"""The text of one document version, and the only place where positions are converted.

Inside the server a place is a line and a column in code points (`Place`), a stretch of text a `Span`. LSP counts
columns in UTF-16 units unless the client and we agreed on UTF-8 or UTF-32. Lines end at LF, CRLF and CR only.

`types` is not touched when this is imported, here and in all that the first answer of the server needs (server/early.py).
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
    """A place in the text: line and column, both from zero, the column in code points."""

    line: int
    column: int


class Span(NamedTuple):
    """A stretch of text from `start` up to, not including, `end`."""

    start: Place
    end: Place

    def contains(self, place: Place) -> bool:
        """Whether the place is inside or at either edge."""
        return self.start <= place <= self.end

    def shifted(self, lines: int) -> "Span":
        """The same stretch `lines` further down."""
        (a, b), (c, d) = self
        return Span(Place(a + lines, b), Place(c + lines, d))


@dataclass(frozen=True, slots=True)
class Text:
    """An immutable text as a list of lines, each with its line end; the last line has none.

    `is_marked` says that a byte-order mark stands before the first line. Places do not count it, clients do.
    """

    lines: Sequence[str]
    encoding: str = UTF_16
    is_marked: bool = False

    @classmethod
    def of(cls, source: str, encoding: str = UTF_16) -> "Text":
        """A text by its lines."""
        return cls(split_lines(source.removeprefix(_MARK)), encoding, source.startswith(_MARK))

    def __str__(self) -> str:
        return _MARK * self.is_marked + "".join(self.lines)

    def line(self, index: int) -> str:
        """The line without its end; empty beyond the last one."""
        return self.lines[index].rstrip("\r\n") if 0 <= index < len(self.lines) else ""

    @property
    def line_end(self) -> str:
        """The line end in use: that of the first line."""
        first = self.lines[0]
        return first[len(first.rstrip("\r\n")) :] or "\n"

    def place(self, position: "types.Position") -> Place:
        """A client's position as a place; beyond the end of a line means its end."""
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
        """A place as the client counts it."""
        return types.Position(place.line, self._units(place.line, place.column))

    def range(self, span: Span) -> "types.Range":
        """A stretch as the client counts."""
        return types.Range(self.position(span.start), self.position(span.end))

    def written(self, span: Span) -> str:
        """The range as the JSON that a client gets."""
        (first, start), (last, end) = span
        if last < len(self.lines) and not (self.is_marked and first == 0):
            one, other = self.lines[first], self.lines[last]
            if one.isascii() and other.isascii() and _is_inside(start, one) and _is_inside(end, other):
                return _RANGE % (first, start, last, end)  # As most are.
        return _RANGE % (first, self._units(first, start), last, self._units(last, end))

    def _units(self, index: int, column: int) -> int:
        line, before = self.lines[index] if index < len(self.lines) else "", self._before(index)
        if line.isascii() and column < len(line) - 1:
            return before + column  # Before the line end, which has two characters at most.
        line = line.rstrip("\r\n")
        return before + (min(column, len(line)) if line.isascii() else _measure(self.encoding)(line[:column]))

    def _before(self, index: int) -> int:
        """How many units of a line the client counts before the first one that we count."""
        return _measure(self.encoding)(_MARK) if self.is_marked and index == 0 else 0

    def measured(self, span: Span) -> tuple[int, int, int]:
        """Line, column and length of a stretch of one line, as the client counts them."""
        (line, first), (_, last) = span
        text, before = self.line(line), self._before(line)
        if text.isascii():
            return line, before + first, last - first
        measure = _measure(self.encoding)
        return line, before + measure(text[:first]), measure(text[first:last])

    def slice(self, span: Span) -> str:
        """The text of a span."""
        (first, start), (last, end) = span
        if first == last:
            return self.line(first)[start:end]
        middle = self.lines[first + 1 : last]
        return "".join([self.lines[first][start:], *middle, self.line(last)[:end]])

    def changed(self, where: "types.Range", new: str) -> "Text":
        """The text with a client's range replaced, which may begin at or before a byte-order mark."""
        span = Span(self.place(where.start), self.place(where.end))
        if span.start > (0, 0):
            return self.edited(span, new)
        if not (self.is_marked or new.startswith(_MARK)):
            found = self.edited(span, new)
            # What stood before it may have been taken away.
            return Text.of(str(found), self.encoding) if found.lines[0].startswith(_MARK) else found
        before = _MARK * (self.is_marked and where.start.character > 0)
        after = _MARK * (self.is_marked and where.end.line == 0 == where.end.character)
        bare = Text(self.lines, self.encoding)
        return Text.of(before + str(bare.edited(span, new + after)), self.encoding)

    def edited(self, span: Span | None, new: str) -> "Text":
        """The text with a span replaced; with no span, a wholly new text."""
        if span is None:
            return Text.of(new, self.encoding)
        (first, start), (last, end) = span
        replaced = split_lines(self.lines[first][:start] + new + self.lines[last][end:])
        tail = self.lines[last + 1 :]
        if tail:
            replaced.pop()  # The text ends in the line end of `last`; what follows is not an empty line.
        return Text(_rejoined([*self.lines[:first], *replaced, *tail], first), self.encoding, self.is_marked)


def _is_inside(column: int, line: str) -> bool:
    """Whether a column is surely in a line or at its end, and not within a line end of two characters."""
    last = len(line) - 1
    return column < last or (column == last and line[last] == "\n" and line[last - 1 :] != "\r\n")


def _measure(encoding: str) -> Callable[[str], int]:
    # Asked by equality: the library's names of encodings are equal to these, and hashed in another way.
    return next(measure for name, measure in _UNITS.items() if name == encoding)


_RANGE = '{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}'


def written(it: "types.Range") -> str:
    """A range as JSON."""
    return _RANGE % (it.start.line, it.start.character, it.end.line, it.end.character)


def split_lines(source: str) -> list[str]:
    """Lines with their ends; a text that ends in a line end has an empty last line."""
    lines = source.splitlines(keepends=True) if _is_simple(source) else _LINE.findall(source)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


def _is_simple(source: str) -> bool:
    # str.splitlines knows more line ends than LSP does; most texts hold none of the others.
    return source.isascii() and not any(it in source for it in "\v\f\x1c\x1d\x1e")


def _rejoined(lines: list[str], first: int) -> list[str]:
    """Puts a CR and an LF that an edit has brought together into one line end."""
    if first > 0 and lines[first - 1].endswith("\r") and first < len(lines) and lines[first].startswith("\n"):
        lines[first - 1 : first + 1] = split_lines(lines[first - 1] + lines[first])[:-1] or [""]
    return lines
