"""The known names nearest to a misspelt one."""

import difflib
from collections.abc import Collection
from functools import lru_cache

_LONG_ENOUGH = 4
_CLOSE = 0.66
_PREFIX = 0.9


def nearest(word: str, known: Collection[str], *, most: int = 3) -> list[str]:
    """At most `most` known names that a person may have meant, best first."""
    return list(_nearest(word, tuple(known))[:most])


@lru_cache(maxsize=256)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    # Remembered, because a file says the same wrong word often.
    flat = _flat(word)
    scored = [(_likeness(flat, _flat(it)), it) for it in known]
    close = sorted(((score, it) for score, it in scored if score >= _CLOSE), key=lambda it: (-it[0], it[1]))
    return tuple(it for _, it in close)


def is_slip(word: str, name: str) -> bool:
    """Whether the word is the name but for one letter too many, missing, wrong, or swapped with the next one.

    Upper and lower case, hyphens and underscores do not count; short words are never sure.
    """
    one, other = _flat(word), _flat(name)
    if one == other:
        return True
    if min(len(one), len(other)) < _LONG_ENOUGH or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    left, right = one[start:], other[start:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or _is_swapped(left, right)


def is_likely_slip(word: str, known: Collection[str]) -> bool:
    """Whether a word that may well be right is more likely a misspelt one of the known names."""
    flat = _flat(word)
    return any(
        is_slip(word, it) or difflib.SequenceMatcher(None, flat, _flat(it)).ratio() >= 0.85 for it in known
    )


def _is_swapped(left: str, right: str) -> bool:
    return len(left) > 1 and left[:2] == right[:2][::-1] and left[2:] == right[2:]


def _flat(word: str) -> str:
    return word.lower().replace("-", "_")


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    matcher = difflib.SequenceMatcher(None, one, other)
    if min(len(one), len(other)) >= _LONG_ENOUGH and (one.startswith(other) or other.startswith(one)):
        return _PREFIX + matcher.ratio() / 10_000  # Of several that begin alike the nearest comes first.
    # Most names are far off, which the upper bounds tell much sooner.
    if matcher.real_quick_ratio() < _CLOSE or matcher.quick_ratio() < _CLOSE:
        return 0.0
    return matcher.ratio()
