"""Short quotations from an agent's output, for the messages of failed checks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from itertools import zip_longest

from waza_engine.lib.go.regexp import regex_error, regex_span
from waza_engine.lib.go.text import fold
from waza_engine.model.results.evidence import FoundText

_WIDTH = 80
_MAX_NAMES = 12
_MAX_SEARCHED = 200_000
"""Only so many characters of a text are searched for an excerpt."""
_CONTEXT, _WIDEST = 2, 160
"""The lines of an excerpt on either side of the place, and the maximum length of each."""
_LAST_LINES = 10
"""The lines of an excerpt from the end of what a program printed."""
_finds_nearest: ContextVar[bool] = ContextVar("finds_nearest", default=True)
EMPTY = FoundText("the text is empty", is_empty=True)
NOTHING = FoundText("nothing was used", is_empty=True)
_WORDS = re.compile(
    r"\\(?:[pP]\{\w+\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?[\w<:>=!-]*|\{[\d,]*\}|([\w-]{3,})", re.DOTALL
)
"""Matches the words of a pattern, skipping classes, escapes and flags."""


def quote(text: str) -> str:
    """Return the text on one line in quotes, truncated if it is long."""
    line = " ".join(text.split())
    return f"'{line}'" if len(line) <= _WIDTH else f"'{line[: _WIDTH - 1]}…'"


def nearest_line(wanted: str, text: str) -> str:
    """Return the line that is most like a missing string, or the start of the text."""
    return _nearest(fold(wanted).split(), text)


def occurrence(unwanted: str, text: str, *, any_case: bool) -> str:
    """Return the excerpt around an unwanted string; "" if it does not occur."""
    start = fold(text).find(fold(unwanted)) if any_case else text.find(unwanted)
    return excerpt_at(text, start, start + len(unwanted)) if start >= 0 else ""


def match_excerpt(pattern: str, text: str) -> str:
    """Return the excerpt around a pattern's match, or why the pattern is invalid."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    place = regex_span(pattern, text)
    return excerpt_at(text, *place) if place else ""


def mismatch_excerpt(pattern: str, text: str) -> str:
    """Return the line nearest to a pattern without a match, or why the pattern is invalid."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    return nearest_to_pattern(pattern, text)


def nearest_to_pattern(pattern: str, text: str) -> str:
    """Return the line with most words of a pattern, or the start of the text if no line has any."""
    return _nearest(words_of(pattern), text)


def words_of(pattern: str) -> set[str]:
    """Return the words of a pattern, folded."""
    return {fold(it.group(1)) for it in _WORDS.finditer(pattern) if it.group(1)}


def names_used(names: Sequence[str]) -> str:
    """Return which tools (or skills) were used, and how often."""
    counts = Counter(names)
    shown = ", ".join(
        f"{it} ({count} times)" if count > 1 else it for it, count in list(counts.items())[:_MAX_NAMES]
    )
    more = f" and {len(counts) - _MAX_NAMES} more" if len(counts) > _MAX_NAMES else ""
    return FoundText(f"used: {shown}{more}", actual="\n".join(names)) if counts else NOTHING


def beginning_of(text: str) -> FoundText:
    """Return the start of a text in which nothing resembles what was looked for."""
    if not text.strip():
        return EMPTY
    shown = text[:_MAX_SEARCHED]
    return FoundText(f"starts with: {quote(shown)}", _lines_around(shown.split("\n"), 0))


def end_of(text: str) -> FoundText:
    """Return the last line of what a program printed."""
    lines = text[-_MAX_SEARCHED:].rstrip().split("\n")
    if lines == [""]:
        return FoundText("it is empty")
    number = text.rstrip().count("\n") + 1
    first = max(0, len(lines) - _LAST_LINES)
    shown = "\n".join(_cut(it.rstrip()) for it in lines[first:])
    return FoundText(f"it ends: {quote(lines[-1])}", shown, line=number)


def line_difference(wanted: str, text: str) -> str:
    """Return the first line of a text that differs from the wanted one, and what the wanted text has there."""
    ours, theirs = text.split("\n"), wanted.split("\n")
    pairs = enumerate(zip_longest(ours, theirs))
    number, (our, their) = next((at + 1, pair) for at, pair in pairs if pair[0] != pair[1])
    if our is None or their is None:
        where = f"ends after line {number - 1}" if our is None else f"line {number} is too much"
        return FoundText(where, _lines_around(ours, min(number, len(ours)) - 1), line=min(number, len(ours)))
    if our.split() == their.split():
        found = f"line {number}: {our[:_WIDTH]!r} instead of {their[:_WIDTH]!r}"
    else:
        found = f"line {number}: {quote(our)} instead of {quote(their)}"
    return FoundText(found, _lines_around(ours, number - 1), _cut(our), number)


def excerpt_at(text: str, start: int, end: int) -> FoundText:
    """Return a range of the text with the rest of its line, and the line number."""
    number = text.count("\n", 0, start) + 1
    first = max(text.rfind("\n", 0, start) + 1, start - (_WIDTH - 20) // 2)
    stop = text.find("\n", start)
    last = len(text) if stop < 0 else stop
    line = quote(text[first : max(min(last, first + 2 * _WIDTH), min(end, start + _WIDTH))])
    return FoundText(f"line {number}: {line}", _lines_around(text.split("\n"), number - 1), line=number)


class without_nearest_lines:  # noqa: N801  # used like a function
    """Do without the lines that are most like what is missing: finding them takes longer than most checks."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _finds_nearest.set(False)

    def __exit__(self, *_: object) -> None:
        _finds_nearest.reset(self._token)


def _nearest(words: Iterable[str], text: str) -> str:
    if not _finds_nearest.get():
        return ""
    if not text.strip():
        return EMPTY
    wanted = set(words)
    lines = text[:_MAX_SEARCHED].split("\n")
    scored = ((likeness(wanted, fold(line)), -index) for index, line in enumerate(lines))
    score, index = max(scored, default=(0, 0))
    if not score:
        return beginning_of(text)
    nearest, number = lines[-index], 1 - index
    return FoundText(
        f"line {number}: {quote(nearest)}", _lines_around(lines, -index), _cut(nearest.strip()), number
    )


def likeness(words: set[str], line: str) -> int:
    """Score how many of the words a line has: as whole words (3), inside of others (2), or by their stem (1)."""
    own = set(line.split())
    return sum(3 if it in own else 2 if it in line else _stem(it) in line for it in words)


def _stem(word: str) -> str:
    """Return a rough stem of a word; a short word is its own stem."""
    return word[: max(4, len(word) * 2 // 3)]


def _lines_around(lines: Sequence[str], index: int) -> str:
    """Return the lines around one, each with its number. The empty one after a final line feed is no line."""
    if not lines[-1] and index < len(lines) - 1:
        lines = lines[:-1]
    first = max(0, index - _CONTEXT)
    shown = lines[first : index + _CONTEXT + 1]
    width = len(str(first + len(shown)))
    numbered = (f"{first + at + 1:>{width}}  {_cut(line.rstrip())}" for at, line in enumerate(shown))
    return "\n".join(numbered)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
