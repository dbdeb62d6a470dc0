"""What is assumed about an agent for planning: how its tasks differ, and what a change does to them.

Each task has a difficulty, the difficulties are normally distributed, and the probability of a pass is the logistic
function of skill minus difficulty (the Rasch model). A better agent has more skill in all tasks. So a change moves tasks
of medium difficulty most, and those that always pass or fail hardly.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from waza_engine.statistics.distributions import binomial_pmf, bisect, normal_quantile

_POINTS = 101
_WIDEST = 30.0
"""Differences of difficulty, in logits, that leave no task undecided."""
_STEPS = 30


@dataclass(frozen=True, slots=True)
class Design:
    """Tasks, trials of each, the agent's pass rate, and the share of the variance that lies between tasks.

    With `between` 0, all tasks are alike; with 1, each always passes or always fails. Values above 0.95 count as 0.95.
    """

    tasks: int
    trials: int = 1
    rate: float = 0.5
    between: float = 0.3


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


def _rates(mean: float, spread: float) -> list[float]:
    """Return the pass rates of tasks of all difficulties, with this mean."""
    if mean <= 0 or mean >= 1:
        return [mean] * _POINTS
    points = _points()

    def at(skill: float) -> list[float]:
        return [1 / (1 + math.exp(-(skill + spread * it))) for it in points]

    widest = 12 * (1 + spread)
    return at(bisect(lambda it: sum(at(it)) / _POINTS < mean, -widest, widest, _STEPS))


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
