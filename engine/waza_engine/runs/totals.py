"""From trials to the record of a task and of the run: no I/O. The arithmetic itself is `waza_engine.scoring`."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from waza_engine.runs.measures import measures
from waza_engine.runs.plan import Plan
from waza_engine.runs.records import MetricResult, RunRecord, TaskRecord, TrialRecord, TriggerResult
from waza_engine.runs.triggers import accuracy_metric, trigger_metrics
from waza_engine.scoring import RunTotals, TaskTotals, suite_totals, task_stats
from waza_engine.suite import Task


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended that did not come to its own end; empty for one that did."""

    status: Literal["", "error", "cancelled"] = ""
    error: str = ""


def task_record(task: Task, trials: Sequence[TrialRecord], error: str, rng: random.Random) -> TaskRecord:
    """A task's record; `error` is the hook problem that stopped it. Without trials it has no stats."""
    runs = [RunTotals(it.status, it.score, it.weighted_score, it.trajectory.duration_ms) for it in trials]
    stats = task_stats(runs, rng) if runs else None
    status = "failed" if error else stats.status if stats else "skipped"
    return TaskRecord(task.id, task.name, task.group, status, tuple(trials), stats, error, task.golden)


def run_record(  # noqa: PLR0913  # what a run is made of, by name
    plan: Plan,
    *,
    run_id: str,
    started_at: float,
    duration_ms: int,
    tasks: Sequence[TaskRecord],
    triggers: Sequence[TriggerResult],
    ending: Ending,
    rng: random.Random,
    baseline: RunRecord | None = None,
) -> RunRecord:
    """The record of the whole run: a task that failed, or a metric below its threshold, makes it failed.

    With a baseline something else counts: whether more tasks passed than without skills (section 13.7).
    """
    measured = trigger_metrics(triggers) if triggers else None
    metric = accuracy_metric(plan.suite.metrics, measured) if measured else None
    metrics: tuple[MetricResult, ...] = (metric,) if metric else ()
    per_task = [
        TaskTotals(it.status, it.stats.avg_score, it.stats.avg_weighted_score)
        if it.stats
        else TaskTotals(it.status)
        for it in tasks
    ]
    settings = plan.settings
    totals = suite_totals(per_task, settings.trials, rng)
    failed = any(not it.passed for it in metrics) or (
        totals.success_rate <= baseline.totals.success_rate
        if baseline
        else any(it.status == "failed" for it in tasks)
    )
    return RunRecord(
        run_id=run_id,
        suite_name=plan.suite.name,
        skill=plan.suite.skill,
        executor=settings.executor,
        model=settings.model,
        judge_model=settings.judge_model,
        trials=settings.trials,
        timeout_seconds=settings.timeout_seconds,
        started_at=started_at,
        duration_ms=duration_ms,
        status=ending.status or ("failed" if failed else "passed"),
        tasks=tuple(tasks),
        totals=totals,
        triggers=tuple(triggers),
        trigger_metrics=measured,
        metrics=metrics,
        error=ending.error,
        measures=tuple(measures(plan.suite.metrics, tasks)),
        baseline=baseline,
        shard=str(plan.shard or ""),
    )
