"""Decide while trials come in: tests that stay honest however often you look.

The method is betting (e-values): start with 1, bet on each new score against the claim to be refuted, and multiply. If
the claim is true, the product reaches 20 with a probability of at most 5 %, however long you watch (Ville's inequality).
Unlike alpha spending it needs no planned number of looks or trials, takes scores between 0 and 1 as they are, and its
state is the list of scores, so a run can be continued. The price: about a third more tasks than one test at the end.

The bets are a fixed set whose average counts, so the order of the scores does not matter. A score has to be one that
is independent of the others: the mean score of a task, or the mean of one round over the same tasks; not single trials of
one task, which belong together.
"""

import math
from collections.abc import Sequence
from typing import Literal

from waza_engine.statistics.distributions import bisect
from waza_engine.statistics.paired import ALPHA
from waza_engine.statistics.rates import ConfidenceInterval

_BETS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.98)
"""Shares of the capital that are put on a score above the claimed mean."""


def e_value_above(scores: Sequence[float], claimed: float) -> float:
    """Return the evidence against the claim that the mean of scores (0 to 1) is at most `claimed`: 20 is 5 %."""
    if claimed <= 0:
        return 1.0 if not any(scores) else math.inf
    gains = [it / claimed - 1 for it in scores]
    return sum(math.prod(1 + bet * it for it in gains) for bet in _BETS) / len(_BETS)


def e_value_below(scores: Sequence[float], claimed: float) -> float:
    """Return the evidence against the claim that the mean of scores (0 to 1) is at least `claimed`."""
    return e_value_above([1 - it for it in scores], 1 - claimed)


def decide_rate(
    scores: Sequence[float], threshold: float, alpha: float = ALPHA
) -> Literal["above", "below", "open"]:
    """Return on which side of the threshold the mean is, or that it is still open. Both errors together are 5 %."""
    # The evidence may have sunk again: each look counts, and so does the strongest one so far.
    if _peak(scores, threshold) >= 2 / alpha:
        return "above"
    return "below" if _peak([1 - it for it in scores], 1 - threshold) >= 2 / alpha else "open"


def decide_difference(
    differences: Sequence[float], alpha: float = ALPHA
) -> Literal["better", "worse", "open"]:
    """Return whether the paired differences (-1 to 1) of tasks or rounds show which run is better."""
    side = decide_rate([(it + 1) / 2 for it in differences], 0.5, alpha)
    return {"above": "better", "below": "worse", "open": "open"}[side]  # type: ignore[return-value]  # the words


def _peak(scores: Sequence[float], claimed: float) -> float:
    """Return the strongest evidence at any look."""
    if claimed <= 0:
        return e_value_above(scores, claimed)
    capitals, peak = [1.0 / len(_BETS)] * len(_BETS), 1.0
    for score in scores:
        gain = score / claimed - 1
        capitals = [capital * (1 + bet * gain) for capital, bet in zip(capitals, _BETS, strict=True)]
        peak = max(peak, sum(capitals))
    return peak


def confidence_sequence(scores: Sequence[float], alpha: float = ALPHA) -> ConfidenceInterval:
    """Return an interval of the mean that holds at all looks together with 95 %."""
    if not scores:
        return ConfidenceInterval(0.0, 1.0)
    limit = 2 / alpha
    mean = sum(scores) / len(scores)
    lower = bisect(lambda it: e_value_above(scores, it) >= limit, 0.0, mean) if mean > 0 else 0.0
    upper = bisect(lambda it: e_value_below(scores, it) < limit, mean, 1.0) if mean < 1 else 1.0
    return ConfidenceInterval(lower, upper)
