"""Short quotations from what an agent wrote, for the message of a check that failed: what was there instead."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from waza_engine.lib.go.regexp import regex_error, regex_span
from waza_engine.lib.go.text import fold
from waza_engine.model.records import FoundText

_WIDTH = 80
_MAX_NAMES = 12
_MAX_SEARCHED = 200_000
"""How many characters of a text are looked at for an excerpt."""
_CONTEXT, _WIDEST = 2, 160
"""Of an excerpt: how many lines it has on either side of the place, and how many characters of each."""
_WORDS = re.compile(
    r"\\(?:[pP]\{\w+\}|.)|\[(?:\\.|[^\]\\])*\]|\(\?[\w<:>=!-]*|\{[\d,]*\}|([\w-]{3,})", re.DOTALL
)
"""The words of a pattern; what stands in classes, escapes and flags are none."""


def quote(text: str) -> str:
    """The text on one line, cut when it is long."""
    line = " ".join(text.split())
    return f"'{line}'" if len(line) <= _WIDTH else f"'{line[: _WIDTH - 1]}…'"


def nearest_line(wanted: str, text: str) -> str:
    """What stands there instead of a text that is missing: the line that is most like it, or how the text begins."""
    return _nearest(fold(wanted).split(), text)


def occurrence(unwanted: str, text: str, *, any_case: bool) -> str:
    """Where a text stands that must not be there."""
    start = fold(text).find(fold(unwanted)) if any_case else text.find(unwanted)
    return excerpt_at(text, start, start + len(unwanted)) if start >= 0 else ""


def match_excerpt(pattern: str, text: str) -> str:
    """What a pattern found, or why it is no pattern."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    place = regex_span(pattern, text)
    return excerpt_at(text, *place) if place else ""


def mismatch_excerpt(pattern: str, text: str) -> str:
    """What there is instead of a match, or why there can be none."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    return nearest_to_pattern(pattern, text)


def nearest_to_pattern(pattern: str, text: str) -> str:
    """The line with most words of a pattern that was not found; how the text begins when no line has one."""
    words = (it.group(1) for it in _WORDS.finditer(pattern))
    return _nearest([fold(it) for it in words if it], text)


def names_used(names: Sequence[str]) -> str:
    """Which tools (or skills) were used instead, each once, with how often."""
    counts = Counter(names)
    shown = ", ".join(
        f"{it} ({count} times)" if count > 1 else it for it, count in list(counts.items())[:_MAX_NAMES]
    )
    more = f" and {len(counts) - _MAX_NAMES} more" if len(counts) > _MAX_NAMES else ""
    return f"used: {shown}{more}" if counts else "nothing was used"


def excerpt_at(text: str, start: int, end: int) -> FoundText:
    """A stretch of the text with what stands around it on its line, and the number of the line."""
    number = text.count("\n", 0, start) + 1
    first = max(text.rfind("\n", 0, start) + 1, start - (_WIDTH - 20) // 2)
    stop = text.find("\n", start)
    last = len(text) if stop < 0 else stop
    line = quote(text[first : max(min(last, first + 2 * _WIDTH), min(end, start + _WIDTH))])
    return FoundText(f"line {number}: {line}", _lines_around(text.split("\n"), number - 1))


def _nearest(words: Iterable[str], text: str) -> str:
    if not text.strip():
        return "it is empty"
    wanted = set(words)
    lines = text[:_MAX_SEARCHED].splitlines()
    scored = ((_likeness(wanted, fold(line)), -index) for index, line in enumerate(lines))
    score, index = max(scored, default=(0, 0))
    if not score:
        return FoundText(f"it begins: {quote(text[:_MAX_SEARCHED])}", _lines_around(lines, 0))
    return FoundText(f"line {1 - index}: {quote(lines[-index])}", _lines_around(lines, -index))


def _likeness(words: set[str], line: str) -> int:
    """How many of the words a line has: as words of its own, which count most, inside of others, or by their beginning."""
    own = set(line.split())
    return sum(3 if it in own else 2 if it in line else _stem(it) in line for it in words)


def _stem(word: str) -> str:
    """What a word has in common with its other forms, roughly; a short word is all of it."""
    return word[: max(4, len(word) * 2 // 3)]


def _lines_around(lines: Sequence[str], index: int) -> str:
    """The lines around one, each with its number."""
    first = max(0, index - _CONTEXT)
    shown = lines[first : index + _CONTEXT + 1]
    width = len(str(first + len(shown)))
    numbered = (f"{first + at + 1:>{width}}  {_cut(line.rstrip())}" for at, line in enumerate(shown))
    return "\n".join(numbered)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
