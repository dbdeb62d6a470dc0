"""Short quotations from what an agent wrote, for the message of a check that failed: what was there instead."""

from collections import Counter
from collections.abc import Sequence

from waza_engine.regex import regex_error, regex_place
from waza_engine.text import fold

_WIDTH = 80
_MOST_NAMES = 12
_LOOKED_AT = 200_000
"""How many characters of a text are looked at for an excerpt."""


def quoted(text: str) -> str:
    """The text on one line, cut when it is long."""
    line = " ".join(text.split())
    return f"'{line}'" if len(line) <= _WIDTH else f"'{line[: _WIDTH - 1]}…'"


def instead_of(wanted: str, text: str) -> str:
    """What stands there instead of a text that is missing: the line that is most like it, or how the text begins."""
    if not text.strip():
        return "it is empty"
    words = set(fold(wanted).split())
    lines = text[:_LOOKED_AT].splitlines()
    scored = ((len(words & set(fold(line).split())), -index) for index, line in enumerate(lines))
    score, index = max(scored, default=(0, 0))
    return (
        f"line {1 - index}: {quoted(lines[-index])}" if score else f"it begins: {quoted(text[:_LOOKED_AT])}"
    )


def place_of(unwanted: str, text: str, *, any_case: bool) -> str:
    """Where a text stands that must not be there."""
    start = fold(text).find(fold(unwanted)) if any_case else text.find(unwanted)
    return around(text, start, start + len(unwanted)) if start >= 0 else ""


def match_of(pattern: str, text: str) -> str:
    """What a pattern found, or why it is no pattern."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    place = regex_place(pattern, text)
    return around(text, *place) if place else ""


def no_match_of(pattern: str, text: str) -> str:
    """What there is instead of a match, or why there can be none."""
    if reason := regex_error(pattern):
        return f"not a valid RE2 pattern: {reason}"
    return f"it begins: {quoted(text[:_LOOKED_AT])}" if text.strip() else "it is empty"


def calls_made(names: Sequence[str]) -> str:
    """Which tools (or skills) were used instead, each once, with how often."""
    counts = Counter(names)
    shown = ", ".join(
        f"{it} ({count} times)" if count > 1 else it for it, count in list(counts.items())[:_MOST_NAMES]
    )
    more = f" and {len(counts) - _MOST_NAMES} more" if len(counts) > _MOST_NAMES else ""
    return f"used: {shown}{more}" if counts else "nothing was used"


def around(text: str, start: int, end: int) -> str:
    """A stretch of the text with what stands around it on its line, and the number of the line."""
    number = text.count("\n", 0, start) + 1
    first = max(text.rfind("\n", 0, start) + 1, start - (_WIDTH - 20) // 2)
    stop = text.find("\n", start)
    last = len(text) if stop < 0 else stop
    return (
        f"line {number}: {quoted(text[first : max(min(last, first + 2 * _WIDTH), min(end, start + _WIDTH))])}"
    )
