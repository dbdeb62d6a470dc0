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


def value_end(lines: _Lines, at: int, row: Row, base: int, cursor: Place) -> int:
    """The index behind the last line that the value starting on line `at` covers; `base` is its parent's column."""
    text = lines[at][1]
    mark = text[row.value]
    if _BLOCK_SCALAR.match(text, row.value):
        return _deeper(lines, at + 1, base, cursor)
    if mark in _REST_OF_QUOTE and closing(text, row.value) < 0:
        for index in range(at + 1, _deeper(lines, at + 1, base, cursor)):
            if _REST_OF_QUOTE[mark].match(lines[index][1]):
                return index + 1
    elif mark in "[{":
        end = _deeper(lines, at + 1, base, cursor, also="]}")
        closed = extent(lines[at:end], row.value)
        if closed is None:
            return end if row.key is not None else _before_block(lines, at, end, row)
        return at + 1 + sum(1 for it, _ in lines[at + 1 : end] if it <= closed)
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
