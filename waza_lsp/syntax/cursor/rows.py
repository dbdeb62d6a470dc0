"""Split one line of block-style YAML into dashes, key and value."""

import re
from typing import NamedTuple

from waza_engine.lib.yaml.scalars import resolve

_DASH = re.compile(r"-(?:[ \t]+|$)")
_EXPLICIT = re.compile(r"[?:](?:[ \t]+|$)")
_KEY = re.compile(
    r"""(?:[&!]\S*[ \t]+)*
    (?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'
      |(?:[^\s\-?:,\[\]{}\#&*!|>'"%@`]|[\-?:](?=\S))(?:[^\s:\#]|:(?=\S)|(?<=\S)\#|[ \t]+(?=[^\s:\#])|[ \t]+(?=:\S))*)
    [ \t]*(?P<colon>:)(?=[ \t]|$)""",
    re.VERBOSE,
)
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|$))+")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_CLOSED = {'"': re.compile(r'"(?:[^"\\]|\\.)*"'), "'": re.compile(r"'(?:[^']|'')*'")}


class Row(NamedTuple):
    """A line: leading dashes, then a key, a value, or both. Columns count code points.

    Attributes:
        line: the line number.
        shift: how many columns tabs add to the indentation.
        dashes: the columns of the leading dashes.
        start: the column of the first content after the dashes.
        key: the key, if any, from `key_start` to `key_end`.
        key_start: the first column of the key.
        key_end: the column after the key.
        colon: the column of the colon after the key, or -1.
        explicit: the content is the key after a `?`.
        value: the first column of the value, or the column where a missing value would start.
        end: the column after the value.
        comment: the column of a comment, or the line's length.
        mark: the column of a `?` or `:` before the content, or -1.

    """

    line: int
    shift: int
    dashes: tuple[int, ...]
    start: int
    key: str | None
    key_start: int
    key_end: int
    colon: int
    explicit: bool
    value: int
    end: int
    comment: int
    mark: int = -1

    @property
    def is_blank(self) -> bool:
        """Whether the line has only white space or a comment."""
        return not self.dashes and self.key is None and self.start >= self.comment

    @property
    def has_value(self) -> bool:
        """Whether the line has a value."""
        return self.end > self.value

    @property
    def column(self) -> int:
        """The column of the first dash or content, with tabs counted as spaces."""
        start = self.mark if self.explicit else self.start
        return (self.dashes[0] if self.dashes else start) + self.shift


def row_of(line: int, text: str, tab: int) -> Row:
    """Split a line (without its end); a tab in the indentation counts as `tab` spaces."""
    start = len(text) - len(text.lstrip(" \t"))
    shift = text.count("\t", 0, start) * (tab - 1)
    dashes: list[int] = []
    while found := _DASH.match(text, start):
        dashes.append(start)
        start = found.end()
    explicit = _EXPLICIT.match(text, start)
    mark = -1
    if explicit:
        mark, start = explicit.span()
    is_key = mark >= 0 and text[mark] == "?"
    found = _KEY.match(text, start)
    if found is None:
        value, end, comment = _value_columns(text, start)
        key = scalar_text(text[value:end]) if is_key else None
        if is_key:
            return Row(line, shift, tuple(dashes), start, key, value, end, -1, True, end, end, comment, mark)
        return Row(
            line, shift, tuple(dashes), start, None, start, start, -1, False, value, end, comment, mark
        )
    first, last = found.span("key")
    value, end, comment = _value_columns(text, found.end("colon"))
    key = scalar_text(text[first:last])
    return Row(
        line,
        shift,
        tuple(dashes),
        start,
        key,
        first,
        last,
        found.start("colon"),
        False,
        value,
        end,
        comment,
        mark,
    )


def closing(text: str, start: int) -> int:
    """Return the column of the quote that closes the one at `start`, or -1."""
    found = _CLOSED[text[start]].match(text, start)
    return found.end() - 1 if found else -1


def scalar_text(source: str) -> str:
    """Return the text of a one-line scalar, close enough to compare it with names."""
    if len(source) > 1 and source[0] == source[-1] == "'":
        return source[1:-1].replace("''", "'")
    if len(source) > 1 and source[0] == source[-1] == '"':
        return source[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return source


def scalar_value(source: str) -> object:
    """Return the value of a one-line scalar: a string, number, boolean or None."""
    return scalar_text(source) if source[:1] in {"'", '"'} else resolve(source)


def _value_columns(text: str, start: int) -> tuple[int, int, int]:
    """Return start and end of the value from `start` on, and the start of a comment.

    The value excludes its anchor and tag.
    """
    begin = start
    while begin < len(text) and text[begin] in " \t":
        begin += 1
    found = _PROPERTIES.match(text, begin)
    if found:
        begin = found.end()
    if begin >= len(text):
        return min(begin, len(text)), min(begin, len(text)), len(text)
    searched = begin
    if text[begin] in _CLOSED and (close := closing(text, begin)) >= 0:
        searched = close + 1
    comment = _COMMENT.search(text, searched)
    limit = comment.start() if comment else len(text)
    end = len(text[:limit].rstrip())
    return (begin, end, limit) if end > begin else (begin, begin, limit)
