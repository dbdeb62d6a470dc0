"""Compute the scores of trials, tasks and suites: means, intervals, pass@k and pass^k.

Scores are from 0 to 1, durations in milliseconds. See docs/reference/waza-graders.md, section 2.3;
docs/reference/waza-formats.md, section 14; and docs/reference/vally.md, section 5 for pass@k.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

from waza_engine.model.consumption import NOTHING_CONSUMED, Consumption

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
class Interval:
    """A bootstrap confidence interval of a mean."""

    lower: float
    upper: float
    mean: float
    confidence_level: float = CONFIDENCE
    resamples: int = RESAMPLES


def bootstrap(scores: Sequence[float], rng: random.Random, resamples: int = RESAMPLES) -> Interval:
    """Return the 95 % percentile interval of the mean: the resampled means at floor(0.025 n) and floor(0.975 n)."""
    if len(set(scores)) == 1:
        return Interval(scores[0], scores[0], scores[0], CONFIDENCE, resamples)
    pick: Callable[..., list[float]] = rng.choices
    means = sorted(mean(pick(scores, k=len(scores))) for _ in range(resamples))
    tail = (1 - CONFIDENCE) / 2
    lower, upper = math.floor(tail * resamples), math.floor((1 - tail) * resamples)
    return Interval(means[lower], means[min(upper, resamples - 1)], mean(scores), CONFIDENCE, resamples)


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
    in no rate, score or interval. If nothing failed but some remain, the task's status is `error`.
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
    interval: Interval | None = None
    runs_with_results: int = 0
    infrastructure_runs: int = 0
    consumption: Consumption = NOTHING_CONSUMED

    @property
    def decided_runs(self) -> int:
        """The number of trials that say something about the agent."""
        return self.total_runs - self.infrastructure_runs


def task_stats(trials: Sequence[TrialTotals], rng: random.Random) -> TaskStats:
    """Return the totals of one task, with an interval of the weighted scores if there are two trials or more.

    `rng` drives the resampling: the same seed gives the same interval.
    """
    counts = {status: sum(it.status == status for it in trials) for status in ("passed", "failed", "error")}
    decided = [it for it in trials if not it.infrastructure]
    total, passed = len(decided), counts["passed"]
    rate = passed / total if total else 0.0
    scores = [it.score for it in decided]
    weighted = [it.weighted_score for it in decided]
    status = task_status([it.status for it in decided])
    return TaskStats(
        status="error" if len(decided) < len(trials) and status != "failed" else status,
        total_runs=len(trials),
        passed_runs=passed,
        failed_runs=counts["failed"],
        error_runs=counts["error"],
        pass_rate=rate,
        flaky=0 < rate < 1,
        flakiness_percent=min(passed, total - passed) / total * 100 if total else 0.0,
        avg_score=mean(scores),
        avg_weighted_score=mean(weighted),
        min_score=min(scores, default=0.0),
        max_score=max(scores, default=0.0),
        std_dev_score=standard_deviation(scores),
        score_variance=variance(scores),
        avg_duration_ms=sum(it.duration_ms for it in trials) // len(trials) if trials else 0,
        interval=bootstrap(weighted, rng) if total > 1 else None,
        runs_with_results=sum(it.has_results for it in decided),
        infrastructure_runs=len(trials) - len(decided),
        consumption=sum((it.consumption for it in trials), NOTHING_CONSUMED),
    )


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
    interval: Interval | None = None


def suite_totals(tasks: Sequence[TaskTotals], trials: int, rng: random.Random) -> SuiteTotals:
    """Return the totals over all tasks, with an interval if there are several trials and at least two tasks."""
    decided = [it for it in tasks if it.decided]
    scores = [it.avg_score for it in decided]
    weighted = [it.avg_weighted_score for it in decided]
    counts = {it: sum(task.status == it for task in tasks) for it in ("passed", "failed", "error", "skipped")}
    return SuiteTotals(
        total=len(tasks),
        succeeded=counts["passed"],
        failed=counts["failed"],
        errors=counts["error"],
        skipped=counts["skipped"],
        success_rate=counts["passed"] / judged if (judged := len(tasks) - counts["error"]) else 0.0,
        aggregate_score=mean(scores),
        weighted_score=mean(weighted),
        min_score=min(scores, default=0.0),
        max_score=max(scores, default=0.0),
        std_dev=standard_deviation(scores),
        interval=bootstrap(weighted, rng) if trials > 1 and len(decided) > 1 else None,
    )


def skills_helped(with_skills: SuiteTotals, without: SuiteTotals) -> bool:
    """Whether a run with a baseline passes: more of its tasks passed than without skills.

    See docs/reference/waza-formats.md, section 13.7.
    """
    return with_skills.success_rate > without.success_rate


@dataclass(frozen=True, slots=True)
class MultiTrialMetrics:
    """The rates over `k` trials of a task, each from 0 to 1."""

    per_trial_pass_rate: float
    pass_at_k: float
    pass_to_the_k: float
    k: int

    @property
    def is_flaky(self) -> bool:
        """Whether some trials passed and others did not."""
        return 0 < self.per_trial_pass_rate < 1


def pass_at_k(n: int, c: int, k: int) -> float:
    """Return the probability that at least one of `k` trials passes, if `c` of `n` did: the unbiased estimator.

    Raises:
        ValueError: the numbers are impossible.

    """
    if not (0 <= c <= n and 1 <= k <= n):
        raise ValueError(f"expected 0 <= c <= n and 1 <= k <= n, not n={n}, c={c}, k={k}")
    return 1.0 - comb(n - c, k) / comb(n, k)


def pass_to_the_k(p: float, k: int) -> float:
    """Return the probability that all of `k` trials pass, if each passes with probability `p`."""
    return float(p**k)


def multi_trial_metrics(passed: Sequence[bool]) -> MultiTrialMetrics:
    """Return the metrics of a task's trials; all are 0 without trials."""
    k = len(passed)
    if not k:
        return MultiTrialMetrics(0.0, 0.0, 0.0, 0)
    rate = sum(passed) / k
    return MultiTrialMetrics(rate, pass_at_k(k, sum(passed), k), pass_to_the_k(rate, k), k)
