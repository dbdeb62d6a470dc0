"""Intervals of a rate: how far the pass rate of all trials can be from that of the trials seen."""

import math

from waza_engine.model.results.scores import CONFIDENCE, ConfidenceInterval
from waza_engine.statistics.distributions import at_least, at_most, bisect, normal_quantile

Z = normal_quantile((1 + CONFIDENCE) / 2)


def wilson(passed: float, total: float, z: float = Z) -> ConfidenceInterval:
    """Return Wilson's interval of a rate; from 0 to 1 without trials.

    It may cover slightly less than 95 % for one rate and more for another, on average 95 %. Both numbers may be fractions.
    """
    if total <= 0:
        return ConfidenceInterval(0.0, 1.0)
    rate, factor = passed / total, z * z / total
    centre = (rate + factor / 2) / (1 + factor)
    half = math.sqrt(factor * rate * (1 - rate) + factor * factor / 4) / (1 + factor)
    lower = 0.0 if passed <= 0 else max(0.0, centre - half)
    return ConfidenceInterval(lower, 1.0 if passed >= total else min(1.0, centre + half))


def clopper_pearson(passed: int, total: int, confidence: float = CONFIDENCE) -> ConfidenceInterval:
    """Return the exact interval of a rate. It covers at least 95 % for every rate, so it is wider than Wilson's."""
    if total <= 0:
        return ConfidenceInterval(0.0, 1.0)
    tail = (1 - confidence) / 2
    lower = bisect(lambda it: at_least(passed, total, it) < tail, 0.0, 1.0) if passed else 0.0
    upper = bisect(lambda it: at_most(passed, total, it) > tail, 0.0, 1.0) if passed < total else 1.0
    return ConfidenceInterval(lower, upper)


def rate_difference(
    before_passed: int, before_total: int, after_passed: int, after_total: int
) -> ConfidenceInterval:
    """Return Newcombe's interval of the difference of two independent rates: after minus before."""
    if not before_total or not after_total:
        return ConfidenceInterval(-1.0, 1.0)
    before, after = before_passed / before_total, after_passed / after_total
    first, second = wilson(before_passed, before_total), wilson(after_passed, after_total)
    down = math.hypot(after - second.lower, first.upper - before)
    up = math.hypot(second.upper - after, before - first.lower)
    return ConfidenceInterval(max(-1.0, after - before - down), min(1.0, after - before + up))
