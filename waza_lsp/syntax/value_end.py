"""Where the value that starts on a line ends: quotes, brackets and block scalars go on in further lines.

An unfinished quote or bracket must not swallow what stands below it, so columns have a say, too.
"""

import re
from collections.abc import Sequence

from waza_lsp.syntax.flow import extent
from waza_lsp.syntax.rows import Row, closing, row_of
from waza_lsp.syntax.text import Place

_Lines = Sequence[tuple[int, str]]
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*\s*(?:#.*)?$")
_REST_OF_QUOTE = {
    '"': re.compile(r'(?:[^"\\]|\\.)*"\s*(?:#.*)?$'),
    "'": re.compile(r"(?:[^']|'')*'\s*(?:#.*)?$"),
}


class ValueEnds:
    """The ends of the values in some lines, asked for from the first line to the last."""

    def __init__(self, lines: _Lines, cursor: Place) -> None:
        self._lines = lines
        self._cursor = cursor
        self._open: dict[str, tuple[int, int]] = {}
        """Up to which line nothing deeper than a column ends a quote: it need not be looked for again."""

    def end(self, at: int, row: Row, base: int) -> int:
        """The index behind the last line that the value starting on line `at` covers; `base` is its parent's column."""
        lines, cursor = self._lines, self._cursor
        text = lines[at][1]
        mark = text[row.value]
        if _BLOCK_SCALAR.match(text, row.value):
            return _deeper(lines, at + 1, base, cursor)
        if mark in _REST_OF_QUOTE and closing(text, row.value) < 0:
            return self._end_of_quote(at, mark, base)
        if mark in "[{":
            end = _deeper(lines, at + 1, base, cursor, also="]}")
            closed = extent(lines[at:end], row.value)
            if closed is None:
                return end if row.key is not None else _before_block(lines, at, end, row)
            return at + 1 + sum(1 for it, _ in lines[at + 1 : end] if it <= closed)
        return at + 1

    def _end_of_quote(self, at: int, mark: str, base: int) -> int:
        until, column = self._open.get(mark, (0, 0))
        if at < until and base >= column:
            return at + 1
        end = _deeper(self._lines, at + 1, base, self._cursor)
        for index in range(at + 1, end):
            if _REST_OF_QUOTE[mark].match(self._lines[index][1]):
                return index + 1
        self._open[mark] = end, base
        return at + 1


def _before_block(lines: _Lines, at: int, end: int, row: Row) -> int:
    """The index of the first entry in block style that stands no deeper than a bracket never closed, or `end`."""
    for index in range(at + 1, end):
        inner = row_of(*lines[index], 1)
        is_entry = inner.key is not None or bool(inner.dashes)
        ends_in_comma = lines[index][1][: inner.comment].rstrip().endswith(",")
        if is_entry and inner.column <= row.value and not ends_in_comma:
            return index
    return end


def _deeper(lines: _Lines, start: int, base: int, cursor: Place, also: str = "") -> int:
    """The index behind the lines from `start` on that are indented deeper than `base`.

    Blank lines at the end do not count, but for the cursor's when the cursor is deep enough. `also` are characters
    with which a line may start that is not deeper.
    """
    end = start
    for index in range(start, len(lines)):
        number, text = lines[index]
        bare = text.lstrip(" \t")
        if not bare:
            if number == cursor.line and cursor.column > base:
                end = index + 1
        elif len(text) - len(bare) > base or (also and bare[0] in also):
            end = index + 1
        else:
            break
    return end
