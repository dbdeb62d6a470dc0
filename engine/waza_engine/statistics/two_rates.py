"""Compare two independent rates: the trials of one task in two runs."""

from dataclasses import dataclass
from math import comb

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.rates import rate_difference

_TOLERANCE = 1e-7
"""Tables whose probabilities differ by rounding only are equally likely."""


@dataclass(frozen=True, slots=True)
class RateDifference:
    """How the rate of the second differs from that of the first; `smallest_p` is as in `PairedDifference`."""

    effect: float
    interval: ConfidenceInterval
    p_value: float
    smallest_p: float


def compare_rates(
    before_passed: int, before_total: int, after_passed: int, after_total: int
) -> RateDifference:
    """Compare two rates of independent trials with Fisher's exact test. Without trials nothing can be shown."""
    if not before_total or not after_total:
        return RateDifference(0.0, ConfidenceInterval(-1.0, 1.0), 1.0, 1.0)
    return RateDifference(
        after_passed / after_total - before_passed / before_total,
        rate_difference(before_passed, before_total, after_passed, after_total),
        fisher_exact(before_passed, before_total, after_passed, after_total),
        fisher_exact(0, before_total, after_total, after_total),
    )


def fisher_exact(before_passed: int, before_total: int, after_passed: int, after_total: int) -> float:
    """Return the two-sided p-value of Fisher's exact test: the probability of all tables no more likely than this."""
    passed, total = before_passed + after_passed, before_total + after_total
    low, high = max(0, passed - after_total), min(passed, before_total)
    ways = [comb(before_total, it) * comb(after_total, passed - it) for it in range(low, high + 1)]
    limit = ways[before_passed - low] * (1 + _TOLERANCE)
    return min(1.0, sum(it for it in ways if it <= limit) / comb(total, passed))
