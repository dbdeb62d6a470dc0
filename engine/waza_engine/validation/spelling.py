"""The known names nearest to a misspelt one."""

from collections.abc import Collection
from difflib import SequenceMatcher


def nearest(word: str, known: Collection[str], *, most: int = 3) -> list[str]:
    """At most `most` known names that a person may have meant, best first."""
    flat = _flat(word)
    scored = [(_likeness(flat, _flat(it)), it) for it in known]
    close = sorted(((score, it) for score, it in scored if score >= 0.66), key=lambda it: (-it[0], it[1]))
    return [it for _, it in close[:most]]


def _flat(word: str) -> str:
    return word.lower().replace("-", "_")


def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    if min(len(one), len(other)) >= 4 and (one.startswith(other) or other.startswith(one)):
        return 0.9
    return SequenceMatcher(None, one, other).ratio()
