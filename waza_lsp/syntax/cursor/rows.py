"""One line of block-style YAML taken apart, whether or not the text around it is valid."""

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
    """A line: the dashes it starts with, then a key, a value, or both. Columns count code points.

    `shift` is what tabs add to the columns of the indentation, `start` the column of the first content after the
    dashes. A missing key has `colon` -1; an absent value has `value` and `end` at the place where it would start.
    `comment` is the column of a comment, or the line's length, `mark` that of a `?` or `:` before the content, or -1.
    `explicit`: the content is the key that a `?` announces.
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
        """Whether the line holds nothing but white space or a comment."""
        return not self.dashes and self.key is None and self.start >= self.comment

    @property
    def has_value(self) -> bool:
        """Whether something stands behind the key."""
        return self.end > self.value

    @property
    def column(self) -> int:
        """The column of the first dash or content, with tabs counted as blanks."""
        start = self.mark if self.explicit else self.start
        return (self.dashes[0] if self.dashes else start) + self.shift


def row_of(line: int, text: str, tab: int) -> Row:
    """Take a line (without its end) apart; a tab in the indentation counts as `tab` blanks."""
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
        value, end, comment = _value(text, start)
        key = scalar_text(text[value:end]) if is_key else None
        if is_key:
            return Row(line, shift, tuple(dashes), start, key, value, end, -1, True, end, end, comment, mark)
        return Row(
            line, shift, tuple(dashes), start, None, start, start, -1, False, value, end, comment, mark
        )
    first, last = found.span("key")
    value, end, comment = _value(text, found.end("colon"))
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
    """The column of the quote that closes the one at `start`; -1 when the line has none."""
    found = _CLOSED[text[start]].match(text, start)
    return found.end() - 1 if found else -1


def scalar_text(source: str) -> str:
    """The text that a one-line scalar stands for, near enough to compare it with names."""
    if len(source) > 1 and source[0] == source[-1] == "'":
        return source[1:-1].replace("''", "'")
    if len(source) > 1 and source[0] == source[-1] == '"':
        return source[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return source


def scalar_value(source: str) -> object:
    """What a one-line scalar stands for: a text, a number, a truth value or nothing."""
    return scalar_text(source) if source[:1] in {"'", '"'} else resolve(source)


def _value(text: str, start: int) -> tuple[int, int, int]:
    """Where the value from `start` on begins and ends, without its anchor and tag, and where a comment begins."""
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
