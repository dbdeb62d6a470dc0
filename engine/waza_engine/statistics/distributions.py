"""The normal and the binomial distribution."""

import math
from collections.abc import Callable

_STEPS = 60
"""Bisections: enough for the 53 bits of a float."""
_NORMAL_LIMIT = 40.0


def bisect(is_low: Callable[[float], bool], low: float, high: float, steps: int = _STEPS) -> float:
    """Return where `is_low` changes from true to false between `low` and `high`."""
    for _ in range(steps):
        middle = (low + high) / 2
        if is_low(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def normal_cdf(x: float) -> float:
    """Return the probability that a standard normal value is at most `x`."""
    return math.erfc(-x / math.sqrt(2)) / 2


def normal_quantile(probability: float) -> float:
    """Return the value that a standard normal value does not exceed with this probability."""
    return bisect(lambda it: normal_cdf(it) < probability, -_NORMAL_LIMIT, _NORMAL_LIMIT)


def binomial_pmf(k: int, n: int, rate: float) -> float:
    """Return the probability of exactly `k` successes in `n` trials."""
    if rate <= 0 or rate >= 1:
        return float(k == (n if rate >= 1 else 0))
    log_ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(log_ways + k * math.log(rate) + (n - k) * math.log1p(-rate))


def at_least(k: int, n: int, rate: float) -> float:
    """Return the probability of `k` or more successes in `n` trials."""
    if k <= 0:
        return 1.0
    return min(1.0, math.fsum(binomial_pmf(it, n, rate) for it in range(k, n + 1)))


def at_most(k: int, n: int, rate: float) -> float:
    """Return the probability of `k` or fewer successes in `n` trials."""
    return at_least(n - k, n, 1 - rate)
