"""Decide while trials come in: tests that stay honest however often you look.

The method is betting (e-values): start with 1, bet on each new score against the claim to be refuted, and multiply. If
the claim is true, the product ever reaches 20 with a probability of at most 5 % (Ville's inequality). Unlike alpha
spending it needs no planned number of looks or trials, takes scores between 0 and 1 as they are, and its state is the
list of scores, so a run can be continued. The price: if a change is as large as planned for, it takes somewhat more
tasks than one test at the end would (docs/how-sure-appendix.md); if it is larger, fewer.

The bets are a fixed set whose average counts, so the order of the scores does not matter for the product. A score has to
be independent of the others: the mean score of a task, or the mean of one round over the same tasks; not single trials of
one task, which belong together.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Literal

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.distributions import bisect
from waza_engine.statistics.paired import ALPHA

_BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
"""Shares of the capital that are put on a score above the claimed mean."""
_SLOPES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""How strongly bets on a difference rise with its size."""


def e_value_above(scores: Sequence[float], claimed: float) -> float:
    """Return the evidence against the claim that the mean of scores (0 to 1) is at most `claimed`: 20 is 5 %."""
    if claimed <= 0:
        return 1.0 if not any(scores) else math.inf
    gains = [it / claimed - 1 for it in scores]
    return sum(math.prod(1 + bet * it for it in gains) for bet in _BETS) / len(_BETS)


def e_value_below(scores: Sequence[float], claimed: float) -> float:
    """Return the evidence against the claim that the mean of scores (0 to 1) is at least `claimed`."""
    return e_value_above([1 - it for it in scores], 1 - claimed)


def _gain(difference: float, slope: float) -> float:
    """Return the factor of a bet that the second of two runs is better: with equal chances for both signs its mean is 1.

    The claim that neither is better is that of the sign-flip test: a difference is as likely as its opposite. So a bet
    may win as much with a small difference as with a large one, which bets on means may not.
    """
    return 1 + math.tanh(slope * difference)


def decide_rate(
    scores: Sequence[float], threshold: float, alpha: float = ALPHA
) -> Literal["above", "below", "open"]:
    """Return on which side of the threshold the mean is, or that it is still open. Both errors together are 5 %."""
    # A decision stays even if the evidence has sunk again.
    if threshold <= 0:
        return "above" if any(scores) else "open"
    if threshold >= 1:
        return "below" if any(it < 1 for it in scores) else "open"
    for side, seen, claimed in (
        ("above", scores, threshold),
        ("below", [1 - it for it in scores], 1 - threshold),
    ):
        if _peak([[1 + bet * (it / claimed - 1) for it in seen] for bet in _BETS]) >= 2 / alpha:
            return side  # type: ignore[return-value]  # one of the two
    return "open"


def decide_difference(
    differences: Sequence[float], alpha: float = ALPHA
) -> Literal["better", "worse", "open"]:
    """Return whether the paired differences (-1 to 1) of tasks or rounds show which run is better."""
    for word, sign in (("better", 1), ("worse", -1)):
        if _peak([[_gain(sign * it, slope) for it in differences] for slope in _SLOPES]) >= 2 / alpha:
            return word  # type: ignore[return-value]  # one of the two
    return "open"


def _peak(gains: Sequence[Sequence[float]]) -> float:
    """Return the strongest evidence at any look, from the factors of each bet."""
    capitals = [accumulate(it, mul) for it in gains]
    return max((sum(it) for it in zip(*capitals, strict=True)), default=0.0) / len(gains)


def confidence_sequence(scores: Sequence[float], alpha: float = ALPHA) -> ConfidenceInterval:
    """Return an interval of the mean that holds at all looks together with 95 %."""
    if not scores:
        return ConfidenceInterval(0.0, 1.0)
    limit = 2 / alpha
    mean = sum(scores) / len(scores)
    lower = bisect(lambda it: e_value_above(scores, it) >= limit, 0.0, mean) if mean > 0 else 0.0
    upper = bisect(lambda it: e_value_below(scores, it) < limit, mean, 1.0) if mean < 1 else 1.0
    return ConfidenceInterval(lower, upper)
