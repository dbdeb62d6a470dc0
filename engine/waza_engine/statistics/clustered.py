"""The interval of a mean score whose trials belong together by task.

Five trials of one task say less than one trial of five tasks, so the unit is the task: its mean score. A bootstrap over
tasks has intervals of length 0 if all tasks have the same score (coverage 25 % at two tasks), and t intervals leave the
range from 0 to 1. This is Wilson's interval with the number of tasks in the place of trials, made larger by as much as
the scores of tasks vary less than those of single passes and failures would. See docs/how-sure-appendix.md for its
coverage.
"""

from collections.abc import Sequence

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.rates import Z, wilson

_PRIOR = 0.25
"""How much the assumption weighs that tasks vary as much as they can. Chosen by simulation, for 2 to 10 tasks."""


def effective_tasks(means: Sequence[float]) -> float:
    """Return how many tasks that only pass or fail would say as much as these tasks' mean scores."""
    count = len(means)
    if count < 2:
        return float(count)
    centre = sum(means) / count
    squares = sum((it - centre) ** 2 for it in means) * count / (count - 1)
    return count / min(1.0, (squares + _PRIOR) / (count * centre * (1 - centre) + _PRIOR))


def mean_interval(means: Sequence[float], z: float = Z) -> ConfidenceInterval:
    """Return the 95 % interval of the mean over tasks, from the mean score of each task (0 to 1)."""
    count = effective_tasks(means)
    return wilson(sum(means) / len(means) * count if means else 0.0, count, z)
