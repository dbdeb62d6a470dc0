"""Compute the totals of tasks and suites from trials.

See docs/reference/waza-graders.md, section 2.3, and docs/reference/waza-formats.md, section 14.
"""

import random
from collections.abc import Sequence
from functools import partial

from waza_engine.model.results.consumption import NOTHING_CONSUMED
from waza_engine.model.results.scores import (
    ConfidenceInterval,
    SuiteTotals,
    TaskStats,
    TaskTotals,
    TrialTotals,
    mean,
    standard_deviation,
    task_status,
    variance,
)
from waza_engine.statistics.bootstrap import resample
from waza_engine.statistics.clustered import mean_interval


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
        resample=partial(resample, weighted, rng) if total > 1 else None,
        range=_range(weighted),
        runs_with_results=sum(it.has_results for it in decided),
        infrastructure_runs=len(trials) - len(decided),
        consumption=sum((it.consumption for it in trials), NOTHING_CONSUMED),
    )


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
        resample=partial(resample, weighted, rng) if trials > 1 and len(decided) > 1 else None,
        range=_range(weighted),
    )


def _range(scores: Sequence[float]) -> ConfidenceInterval | None:
    """Return the interval of the mean; None if there are not two scores, or they are not between 0 and 1."""
    return mean_interval(scores) if len(scores) > 1 and all(0 <= it <= 1 for it in scores) else None
