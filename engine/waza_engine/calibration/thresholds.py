"""The threshold at which a judge's scores agree best with people."""

from collections.abc import Sequence
from dataclasses import dataclass

_LEAST = 10
"""With fewer verdicts of people nothing is proposed."""
_GAIN = 2
"""So many more verdicts must agree."""


@dataclass(frozen=True, slots=True)
class BetterThreshold:
    """A threshold with which `agreed` of `items` verdicts agree with people, instead of `agreed_now`."""

    threshold: float
    agreed: int
    agreed_now: int
    items: int


def better_threshold(cases: Sequence[tuple[float, bool, bool]]) -> BetterThreshold | None:
    """Return a clearly better threshold from (score, passed, passed by a person), or None.

    None also if the scores do not decide: if some verdict failed with a higher score than one that passed.
    """
    failed = [score for score, passed, _ in cases if not passed]
    passed = [score for score, passed, _ in cases if passed]
    if len(cases) < _LEAST or (failed and passed and max(failed) >= min(passed)):
        return None
    now = sum(passed == person for _, passed, person in cases)
    scores = sorted({score for score, _, _ in cases})
    # Between two scores every threshold decides alike. The higher of both is the simplest that passes it.
    best = max(scores, key=lambda it: (_agreed(cases, it), -abs(it - 0.5)))
    agreed = _agreed(cases, best)
    return BetterThreshold(best, agreed, now, len(cases)) if agreed - now >= _GAIN else None


def _agreed(cases: Sequence[tuple[float, bool, bool]], threshold: float) -> int:
    return sum((score >= threshold) == person for score, _, person in cases)
