"""Simulated agents with known pass rates, for `bench/decisions.py`."""

from dataclasses import dataclass

import numpy as np

from waza_engine.model.results.scores import ConfidenceInterval

RATES = [it / 100 for it in range(5, 96, 5)]
FINE_RATES = [it / 200 for it in range(10, 191)]
RNG = np.random.default_rng(26)


@dataclass(frozen=True)
class Agent:
    """How the scores of tasks come about: trials of each, and the share of variance between tasks; or graded scores."""

    trials: int
    between: float
    graded: bool = False

    def __str__(self) -> str:
        kind = "graded, " if self.graded else ""
        return f"{kind}{self.trials} trials, {self.between:.0%} between tasks"


AGENTS = [
    *(Agent(1, 0.0), Agent(3, 0.0), Agent(3, 0.1), Agent(3, 0.3), Agent(3, 0.6), Agent(3, 1.0)),
    *(Agent(5, 0.3), Agent(10, 0.3), Agent(10, 0.9), Agent(3, 0.3, graded=True)),
]


def quantiles(rows: int, tasks: int) -> "np.ndarray":
    """Return the difficulty of each task as a number from 0 to 1."""
    return RNG.random((rows, tasks))


def task_rates(mean: float, between: float, places: "np.ndarray") -> "np.ndarray":
    """Return the pass rate of tasks: a beta distribution with this mean, and this share of the variance between tasks."""
    from scipy.special import betaincinv

    if between <= 0 or mean in (0.0, 1.0):
        return np.full(places.shape, mean)
    if between >= 1:
        return (places < mean).astype(float)
    size = (1 - between) / between
    return np.clip(betaincinv(mean * size, (1 - mean) * size, places), 0.0, 1.0)


def scores(agent: Agent, mean: float, places: "np.ndarray") -> list[list[float]]:
    """Return the mean score of each task, for each row."""
    rates = task_rates(mean, agent.between, places)
    if agent.graded:
        inner = np.clip(rates, 1e-3, 1 - 1e-3) * 5 * agent.trials
        found = RNG.beta(inner, 5 * agent.trials - inner)
    else:
        found = RNG.binomial(agent.trials, rates) / agent.trials
    return list(found.tolist())


def contains(interval: ConfidenceInterval, value: float) -> bool:
    return interval.lower - 1e-12 <= value <= interval.upper + 1e-12


def pair_of_runs(
    agent: Agent, rate: float, other: float, rows: int, tasks: int
) -> tuple[list[list[float]], list[list[float]]]:
    """Return the scores of the same tasks in two runs, whose agents pass at these rates."""
    places = quantiles(rows, tasks)
    return scores(agent, rate, places), scores(agent, other, places)
