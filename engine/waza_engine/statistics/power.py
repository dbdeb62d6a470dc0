"""Plan: how many tasks and trials show an effect, and what a number of them can show at all.

The power is that of the tests of `paired` under the assumptions of `task_model`: exact for single trials, else from
2,000 simulated comparisons (always the same ones), and above 60 tasks from the normal distribution.
"""

import math
import random
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from waza_engine.statistics.distributions import binomial_pmf, bisect, normal_cdf, normal_quantile
from waza_engine.statistics.paired import ALPHA, smallest_p
from waza_engine.statistics.rates import wilson
from waza_engine.statistics.task_model import Design, difference_chances, difference_moments

_MOST_TASKS = 100_000
_SIMULATED_UP_TO = 60
_FEW = 9
"""With single trials of no more tasks the exact power takes a millisecond."""
_COMPARISONS = 2_000
_STEPS = 9
"""Bisections of an effect: to two thousandths."""
_ROUGH_STEPS = 7


@lru_cache(maxsize=1024)
def most_losses(tasks: int, sides: int = 2, alpha: float = ALPHA) -> int | None:
    """Return with how many losses among so many tasks that differ the sign test still shows a difference.

    None: no record can, not even wins only.
    """
    found, term, ways = None, 1, 1
    limit = round(alpha * 1e9) * (1 << tasks) // (10**9 * sides)
    for losses in range(tasks // 2 + 1):
        if ways > limit:
            return found
        found = losses
        term = term * (tasks - losses) // (losses + 1)
        ways += term
    return found


def fewest_tasks(sides: int = 2, alpha: float = ALPHA) -> int:
    """Return the number of tasks below which no record can show a difference: 6, or 5 with one side."""
    return next(it for it in range(1, _MOST_TASKS) if smallest_p(it, sides) <= alpha)


def half_width(design: Design) -> float:
    """Return how far the pass rate that these trials will show may be from the true one, at 95 %."""
    per_task = design.trials / (1 + (design.trials - 1) * design.between)
    total = design.tasks * per_task
    return wilson(design.rate * total, total).half_width


def passes_to_show(threshold: float, alpha: float = ALPHA) -> int | None:
    """Return how many trials in a row must pass until the rate is shown to be above the threshold; None for 1."""
    if threshold >= 1:
        return None
    return 1 if threshold <= 0 else max(1, math.ceil(math.log(alpha) / math.log(threshold) - 1e-9))


@lru_cache(maxsize=1024)
def power(design: Design, effect: float, alpha: float = ALPHA, *, roughly: bool = False) -> float:
    """Return how likely a comparison shows this change of the pass rate (0.1: ten points) in its true direction.

    `roughly`: from the normal distribution, in a millisecond; with fewer than 20 tasks some points too high or low.
    """
    # A change for the worse is one for the better of the rate of failures.
    before = design.rate if effect > 0 else 1 - design.rate
    after = min(1.0, before + abs(effect))
    if smallest_p(design.tasks) > alpha or after <= before:
        return 0.0
    exact_up_to = _SIMULATED_UP_TO if design.trials > 1 else 10 * _SIMULATED_UP_TO
    if roughly:
        exact_up_to = 0 if design.trials > 1 else _FEW
    if design.tasks > exact_up_to:
        moments = difference_moments(design.trials, before, after, design.between)
        return _power_of_many(design.tasks, *moments, alpha)
    chances = difference_chances(design.trials, before, after, design.between)
    if design.trials == 1:
        return _power_of_single_trials(design.tasks, chances, alpha)
    return _simulated_power(design.tasks, chances, alpha)


def _power_of_single_trials(tasks: int, chances: tuple[float, ...], alpha: float) -> float:
    """Return the exact power with single trials, where only tasks that differ count (McNemar)."""
    losses, _, wins = chances
    differ = wins + losses
    total = 0.0
    for count in range(tasks + 1):
        chance = binomial_pmf(count, tasks, differ)
        if chance < 1e-9 or (limit := most_losses(count, alpha=alpha)) is None:
            continue
        total += chance * math.fsum(binomial_pmf(it, count, losses / differ) for it in range(limit + 1))
    return min(1.0, total)


def _simulated_power(tasks: int, chances: tuple[float, ...], alpha: float) -> float:
    rng = random.Random(tasks)  # noqa: S311  # statistics, no secret
    trials = len(chances) // 2
    values, weights = range(-trials, trials + 1), list(accumulate(chances))
    drawn = (rng.choices(values, cum_weights=weights, k=tasks) for _ in range(_COMPARISONS))
    return sum(sum(it) > 0 and sign_flip_of_counts(it) <= alpha for it in drawn) / _COMPARISONS


def sign_flip_of_counts(differences: list[int]) -> float:
    """Return the p-value of `paired.sign_flip_test` for whole numbers, fast and exact for any number of tasks.

    The ways to reach each sum are the coefficients of a polynomial, kept as the digits of one large number.
    """
    sizes = [abs(it) for it in differences if it]
    total = abs(sum(differences))
    if not total:
        return 1.0
    bits = len(sizes) + 1
    ways = 1
    for size in sizes:
        ways += ways << (size * bits)
    # A sum of positive sizes of at least this much; the sum of digits is the remainder by the base minus 1.
    least = (sum(sizes) + total) // 2
    count = (ways >> (least * bits)) % ((1 << bits) - 1)
    return min(1.0, 2 * count / (1 << len(sizes)))


def _power_of_many(tasks: int, mean: float, squares: float, alpha: float) -> float:
    """Return the power where sums are normal; the spread under the signs contains the effect."""
    limit = normal_quantile(1 - alpha / 2)
    ratio = mean / math.sqrt(max(squares - mean * mean, 1e-12))
    needed = limit / math.sqrt(tasks - limit * limit)
    return normal_cdf((ratio - needed) * math.sqrt(tasks) / math.sqrt(1 + ratio * ratio / 2))


def detectable_effect(
    design: Design, wanted: float = 0.8, alpha: float = ALPHA, *, roughly: bool = False
) -> float | None:
    """Return the least change of the pass rate that is shown with the wanted power; None if none is.

    The change goes to the side where there is more room. `roughly` is that of `power`.
    """
    sign = 1 if design.rate <= 0.5 else -1
    room = max(design.rate, 1 - design.rate)

    def overlooks(effect: float) -> bool:
        return power(design, sign * effect, alpha, roughly=roughly) < wanted

    return None if overlooks(room) else bisect(overlooks, 0.0, room, _ROUGH_STEPS if roughly else _STEPS)


def tasks_needed(design: Design, effect: float, wanted: float = 0.8, alpha: float = ALPHA) -> int | None:
    """Return how many tasks show this change with the wanted power, with the design's trials; None if too many."""

    def enough(tasks: int) -> bool:
        return power(replace(design, tasks=tasks), effect, alpha) >= wanted

    high = fewest_tasks(alpha=alpha)
    if (
        not -1 <= effect <= 1
        or not effect
        or power(replace(design, tasks=_MOST_TASKS), effect, alpha) < wanted
    ):
        return None
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
