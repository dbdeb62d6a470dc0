"""Short quotations from an agent's output, for the messages of failed checks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from waza_engine.lib.go.regexp import regex_error, regex_span
from waza_engine.lib.go.text import fold
from waza_engine.model.records import FoundText

_WIDTH = 80
_MAX_NAMES = 12
_MAX_SEARCHED = 200_000
"""Only so many characters of a text are searched for an excerpt."""
_CONTEXT, _WIDEST = 2, 160
"""The lines of an excerpt on either side of the place, and the maximum length of each."""
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
    words = (it.group(1) for it in _WORDS.finditer(pattern))
    return _nearest([fold(it) for it in words if it], text)


def names_used(names: Sequence[str]) -> str:
    """Return which tools (or skills) were used, and how often."""
    counts = Counter(names)
    shown = ", ".join(
        f"{it} ({count} times)" if count > 1 else it for it, count in list(counts.items())[:_MAX_NAMES]
    )
    more = f" and {len(counts) - _MAX_NAMES} more" if len(counts) > _MAX_NAMES else ""
    return FoundText(f"used: {shown}{more}", actual="\n".join(names)) if counts else "nothing was used"


def excerpt_at(text: str, start: int, end: int) -> FoundText:
    """Return a range of the text with the rest of its line, and the line number."""
    number = text.count("\n", 0, start) + 1
    first = max(text.rfind("\n", 0, start) + 1, start - (_WIDTH - 20) // 2)
    stop = text.find("\n", start)
    last = len(text) if stop < 0 else stop
    line = quote(text[first : max(min(last, first + 2 * _WIDTH), min(end, start + _WIDTH))])
    return FoundText(f"line {number}: {line}", _lines_around(text.split("\n"), number - 1))


def _nearest(words: Iterable[str], text: str) -> str:
    if not text.strip():
        return "the text is empty"
    wanted = set(words)
    lines = text[:_MAX_SEARCHED].splitlines()
    scored = ((_likeness(wanted, fold(line)), -index) for index, line in enumerate(lines))
    score, index = max(scored, default=(0, 0))
    if not score:
        return FoundText(f"starts with: {quote(text[:_MAX_SEARCHED])}", _lines_around(lines, 0))
    nearest = lines[-index]
    return FoundText(
        f"line {1 - index}: {quote(nearest)}", _lines_around(lines, -index), _cut(nearest.strip())
    )


def _likeness(words: set[str], line: str) -> int:
    """Score how many of the words a line has: as whole words (3), inside of others (2), or by their stem (1)."""
    own = set(line.split())
    return sum(3 if it in own else 2 if it in line else _stem(it) in line for it in words)


def _stem(word: str) -> str:
    """Return a rough stem of a word; a short word is its own stem."""
    return word[: max(4, len(word) * 2 // 3)]


def _lines_around(lines: Sequence[str], index: int) -> str:
    """Return the lines around one, each with its number."""
    first = max(0, index - _CONTEXT)
    shown = lines[first : index + _CONTEXT + 1]
    width = len(str(first + len(shown)))
    numbered = (f"{first + at + 1:>{width}}  {_cut(line.rstrip())}" for at, line in enumerate(shown))
    return "\n".join(numbered)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
