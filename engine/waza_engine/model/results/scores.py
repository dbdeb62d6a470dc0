"""Scores of trials, and the totals of tasks and suites. `statistics.totals` computes them.

Scores are from 0 to 1, durations in milliseconds. See docs/reference/waza-graders.md, section 2.3, and
docs/reference/waza-formats.md, section 14.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from waza_engine.model.results.consumption import NOTHING_CONSUMED, Consumption

Status = Literal["passed", "failed", "error", "skipped"]
RESAMPLES = 10_000
CONFIDENCE = 0.95


def mean(scores: Sequence[float]) -> float:
    """Return the mean; 0.0 without scores."""
    return sum(scores) / len(scores) if scores else 0.0


def weighted_mean(scores: Sequence[tuple[float, float]]) -> float:
    """Return the mean of (score, weight) pairs; 0.0 if the weights add up to 0."""
    total = sum(weight for _, weight in scores)
    return sum(score * weight for score, weight in scores) / total if total else 0.0


def standard_deviation(scores: Sequence[float]) -> float:
    """Return the population standard deviation."""
    return math.sqrt(variance(scores))


def variance(scores: Sequence[float]) -> float:
    """Return the population variance."""
    center = mean(scores)
    return mean([(it - center) ** 2 for it in scores])


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A range that contains the true value in 95 of 100 repetitions, if nothing else is said."""

    lower: float
    upper: float

    @property
    def half_width(self) -> float:
        return (self.upper - self.lower) / 2


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap confidence interval of a mean, as results of waza contain it."""

    lower: float
    upper: float
    mean: float
    confidence_level: float = CONFIDENCE
    resamples: int = RESAMPLES


@dataclass(frozen=True, slots=True)
class TrialTotals:
    """What the totals of a task need of one trial. Without results its score is meaningless.

    `infrastructure` marks an error that says nothing about the agent.
    """

    status: Status
    score: float = 0.0
    weighted_score: float = 0.0
    duration_ms: int = 0
    has_results: bool = True
    infrastructure: bool = False
    consumption: Consumption = NOTHING_CONSUMED


@dataclass(frozen=True, slots=True)
class TaskStats:
    """The totals of one task. waza calls its trials runs.

    `infrastructure_runs` are the errors that say nothing about the agent: they count in `total_runs` and `error_runs`, but
    in no rate, score or interval. If nothing failed but some remain, the task's status is `error`. `interval` is that of
    waza's results; people see the `range` of the weighted score, which holds for few trials, too.
    """

    status: Literal["passed", "failed", "error", "skipped"]
    total_runs: int
    passed_runs: int
    failed_runs: int
    error_runs: int
    pass_rate: float
    flaky: bool
    flakiness_percent: float
    avg_score: float
    avg_weighted_score: float
    min_score: float
    max_score: float
    std_dev_score: float
    score_variance: float
    avg_duration_ms: int
    resample: Callable[[], Interval] | None = field(default=None, compare=False, repr=False)
    range: ConfidenceInterval | None = None
    runs_with_results: int = 0
    infrastructure_runs: int = 0
    consumption: Consumption = NOTHING_CONSUMED

    @property
    def interval(self) -> Interval | None:
        """Waza's interval. It takes 10,000 resamples, and only results files have it, so it is computed on request."""
        return self.resample() if self.resample else None

    @property
    def decided_runs(self) -> int:
        """The number of trials that say something about the agent."""
        return self.total_runs - self.infrastructure_runs


def task_status(statuses: Sequence[Status]) -> Literal["passed", "failed", "skipped"]:
    """Return the status of a task: passed if every trial that was not skipped passed; an error counts as failed."""
    performed = [it for it in statuses if it != "skipped"]
    if not performed:
        return "skipped"
    return "passed" if all(it == "passed" for it in performed) else "failed"


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """What the totals of a suite need of one task; a task without stats scores 0.

    A task is not `decided` if all its trials have errors of infrastructure: its score is meaningless.
    """

    status: Literal["passed", "failed", "skipped", "error"]
    avg_score: float = 0.0
    avg_weighted_score: float = 0.0
    decided: bool = True


@dataclass(frozen=True, slots=True)
class SuiteTotals:
    """The totals of a whole suite. `errors` are tasks that could not be decided; they do not count in the success rate."""

    total: int
    succeeded: int
    failed: int
    errors: int
    skipped: int
    success_rate: float
    aggregate_score: float
    weighted_score: float
    min_score: float
    max_score: float
    std_dev: float
    resample: Callable[[], Interval] | None = field(default=None, compare=False, repr=False)
    range: ConfidenceInterval | None = None

    @property
    def interval(self) -> Interval | None:
        """Waza's interval. It takes 10,000 resamples, and only results files have it, so it is computed on request."""
        return self.resample() if self.resample else None


def skills_helped(with_skills: float, without: float) -> bool:
    """Whether a run with a baseline passes: its success rate is higher than without skills.

    See docs/reference/waza-formats.md, section 13.7.
    """
    return with_skills > without
