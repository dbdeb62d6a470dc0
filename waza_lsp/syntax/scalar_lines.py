"""The characters that a scalar stands for, line by line, each with the column where it is written."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from waza_lsp.syntax.node import Node
from waza_lsp.syntax.text import Place, Span, Text

_WIDTHS = {"x": 4, "u": 6, "U": 10}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "_": " ", "N": " "}


class ScalarLine(NamedTuple):
    """One line of a scalar: its characters without quotes and escapes, and where each is written.

    `columns` has one more entry than `text` has characters: the end.
    """

    line: int
    text: str
    columns: tuple[int, ...]

    def span(self, start: int, end: int) -> Span:
        """Where the characters from `start` up to `end` are written."""
        return Span(Place(self.line, self.columns[start]), Place(self.line, self.columns[end]))


def scalar_lines(node: Node, start: int, text: Text) -> Iterator[ScalarLine]:
    """The lines of a scalar whose places count from line `start`."""
    (first, column), (last, end) = node.span.shifted(start)
    if node.style in {"|", ">"}:
        yield from (_plain(it, text.line(it), 0) for it in range(first + 1, last + 1))
        return
    for line in range(first, last + 1):
        source = text.line(line)
        begin = column + bool(node.style) if line == first else len(source) - len(source.lstrip())
        stop = end - bool(node.style) if line == last else len(source)
        yield _READERS.get(node.style, _plain)(line, source[:stop], begin)


def _plain(line: int, source: str, begin: int) -> ScalarLine:
    return ScalarLine(line, source[begin:], tuple(range(begin, len(source) + 1)))


def _single(line: int, source: str, begin: int) -> ScalarLine:
    return _read(line, source, begin, lambda at: ("'", 2) if source.startswith("''", at) else (source[at], 1))


def _double(line: int, source: str, begin: int) -> ScalarLine:
    def character(at: int) -> tuple[str, int]:
        if source[at] != "\\" or at + 1 == len(source):
            return source[at], 1
        letter = source[at + 1]
        # What a numbered escape stands for matters to nobody here: it is one character, no syntax.
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
