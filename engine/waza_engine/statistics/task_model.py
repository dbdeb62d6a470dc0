"""What is assumed about an agent for planning: how its tasks differ, and what a change does to them.

Each task has a difficulty, the difficulties are normally distributed, and the probability of a pass is the logistic
function of skill minus difficulty (the Rasch model). A better agent has more skill in all tasks. So a change moves tasks
of medium difficulty most, and those that always pass or fail hardly.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from waza_engine.statistics.distributions import binomial_pmf, bisect, normal_quantile

_POINTS = 101
_WIDEST = 30.0
"""Differences of difficulty, in logits, that leave no task undecided."""
_STEPS = 30
_CLOSE = 1e-9


USUAL_RATE = 0.7
"""The assumed pass rate before the first run."""
USUAL_BETWEEN = 0.3
"""The assumed share of the variance between tasks if no run has repeated trials."""


@dataclass(frozen=True, slots=True)
class Design:
    """Tasks, trials of each, the agent's pass rate, and the share of the variance that lies between tasks.

    With `between` 0, all tasks are alike; with 1, each always passes or always fails. Values above 0.95 count as 0.95.
    """

    tasks: int
    trials: int = 1
    rate: float = 0.5
    between: float = 0.3


def expected_rate(seen: Sequence[tuple[int, int]]) -> float:
    """Return the mean pass rate of tasks, seen as passes and trials of each, drawn a little towards one half.

    After five passes of five it is not 1.
    """
    return (sum(passed / trials for passed, trials in seen) + 0.5) / (len(seen) + 1) if seen else USUAL_RATE


def expected_between(seen: Sequence[tuple[int, int]]) -> float:
    """Return the share of the variance of trials that lies between tasks, seen as passes and trials of each."""
    repeated = [(passed / trials, trials) for passed, trials in seen if trials > 1]
    rate = sum(it for it, _ in repeated) / len(repeated) if repeated else 0.0
    if len(repeated) < 3 or not 0 < rate < 1:
        return USUAL_BETWEEN
    within = sum(it * (1 - it) * trials / (trials - 1) for it, trials in repeated)
    return min(0.95, max(0.0, 1 - within / len(repeated) / (rate * (1 - rate))))


@lru_cache(maxsize=64)
def difference_chances(trials: int, before: float, after: float, between: float) -> tuple[float, ...]:
    """Return how likely a task passes -`trials` to `trials` times more often after a change of the mean pass rate."""
    spread = _spread(before, min(between, 0.95))
    chances = [0.0] * (2 * trials + 1)
    for first, second in zip(_rates(before, spread), _rates(after, spread), strict=True):
        old = [binomial_pmf(it, trials, first) for it in range(trials + 1)]
        new = [binomial_pmf(it, trials, second) for it in range(trials + 1)]
        for was, chance in enumerate(old):
            for now, other in enumerate(new):
                chances[now - was + trials] += chance * other / _POINTS
    return tuple(chances)


def difference_moments(trials: int, before: float, after: float, between: float) -> tuple[float, float]:
    """Return the mean of the differences of `difference_chances`, and of their squares; much faster with many trials."""
    spread = _spread(before, min(between, 0.95))
    mean = squares = 0.0
    for first, second in zip(_rates(before, spread), _rates(after, spread), strict=True):
        shift = trials * (second - first)
        mean += shift / _POINTS
        squares += (shift * shift + trials * (first * (1 - first) + second * (1 - second))) / _POINTS
    return mean, squares


@lru_cache(maxsize=256)
def _rates(mean: float, spread: float) -> tuple[float, ...]:
    """Return the pass rates of tasks of all difficulties, with this mean."""
    if mean <= 0 or mean >= 1:
        return (mean,) * _POINTS
    points = _points()

    def at(skill: float) -> tuple[float, ...]:
        return tuple(1 / (1 + math.exp(-(skill + spread * it))) for it in points)

    # Newton's method from a close estimate needs about four steps.
    skill = math.log(mean / (1 - mean)) * math.sqrt(1 + 0.35 * spread * spread)
    for _ in range(8):
        rates = at(skill)
        missing = mean - sum(rates) / _POINTS
        if abs(missing) < _CLOSE:
            return rates
        slope = sum(it * (1 - it) for it in rates) / _POINTS
        skill += max(-1.0, min(1.0, missing / max(slope, _CLOSE)))
    widest = 12 * (1 + spread)
    return at(bisect(lambda it: sum(at(it)) / _POINTS < mean, -widest, widest, _STEPS))


@lru_cache(maxsize=256)
def _spread(mean: float, between: float) -> float:
    """Return how much difficulties have to differ until this share of the variance lies between tasks."""
    if not 0 < mean < 1 or between <= 0:
        return 0.0

    def share(spread: float) -> float:
        return sum((it - mean) ** 2 for it in _rates(mean, spread)) / _POINTS / (mean * (1 - mean))

    return bisect(lambda it: share(it) < between, 0.0, _WIDEST, _STEPS)


@lru_cache(maxsize=1)
def _points() -> tuple[float, ...]:
    return tuple(normal_quantile((it + 0.5) / _POINTS) for it in range(_POINTS))
