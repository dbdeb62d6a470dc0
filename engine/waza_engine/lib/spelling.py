"""Find the known names that a misspelt word may stand for."""

import difflib
import re
from collections.abc import Collection
from functools import lru_cache

_LONG_ENOUGH = 4
_CLOSE = 0.66
_LIKELY = 0.85
_PREFIX = 0.9
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def nearest(word: str, known: Collection[str], *, most: int = 3) -> list[str]:
    """Return at most `most` known names that the author may have meant, best first."""
    return list(_nearest(word, tuple(known))[:most])


@lru_cache(maxsize=256)  # The same misspelt word often occurs many times in a file.
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    normal = _normalize(word)
    scored = [(_similarity(normal, _normalize(name)), name) for name in known]
    close = sorted((-score, name) for score, name in scored if score >= _CLOSE)
    return tuple(name for _, name in close)


def is_typo(word: str, name: str) -> bool:
    """Whether one extra, missing, wrong or swapped letter turns the name into the word, or nothing at all.

    Case, hyphens and underscores are ignored. Short words are too uncertain and never count.
    """
    one, other = _normalize(word), _normalize(name)
    if one.replace("_", "") == other.replace("_", ""):
        return True
    if min(len(one), len(other)) < _LONG_ENOUGH or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    left, right = one[start:], other[start:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or _is_swapped(left, right)


def is_likely_typo(word: str, known: Collection[str]) -> bool:
    """Whether a word that may be correct is more likely a misspelling of a known name."""
    normal = _normalize(word)
    return any(is_typo(word, it) or _ratio(normal, _normalize(it)) >= _LIKELY for it in known)


def _is_swapped(left: str, right: str) -> bool:
    return len(left) > 1 and left[:2] == right[:2][::-1] and left[2:] == right[2:]


def _normalize(word: str) -> str:
    """Return a word in snake case: `expectedExitCode` and `expected-exit-code` are `expected_exit_code`."""
    return _HUMP.sub("_", word).lower().replace("-", "_")


def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _similarity(one: str, other: str) -> float:
    if one == other:
        return 1.0
    matcher = difflib.SequenceMatcher(None, one, other)
    if min(len(one), len(other)) >= _LONG_ENOUGH and (one.startswith(other) or other.startswith(one)):
        return (
            _PREFIX + matcher.ratio() / 10_000
        )  # Among several common prefixes the nearest name comes first.
    if min(len(one), len(other)) >= _LONG_ENOUGH and (one in other or other in one):
        return 0.0  # Inside another word it is a word of its own: "script" in "description".
    # Most names are far off. The upper bounds show that at much less cost.
    if matcher.real_quick_ratio() < _CLOSE or matcher.quick_ratio() < _CLOSE:
        return 0.0
    return matcher.ratio()
