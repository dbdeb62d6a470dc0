"""From trials to the record of a task and of the run: no I/O. The arithmetic itself is `waza_engine.model.scores`.

Metrics that only the Python generation computed (docs/reference/waza-formats.md, section 14.5).

Newer versions of waza read them and never look at their thresholds. They are shown, because authors of such evals
expect them, and they decide nothing. `trigger_accuracy` is a real metric, measured elsewhere.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from waza_engine.model.records import (
    MetricResult,
    RunRecord,
    RunStatus,
    TaskRecord,
    TrialRecord,
    TriggerResult,
)
from waza_engine.model.scores import (
    TaskTotals,
    TrialTotals,
    mean,
    skills_helped,
    suite_totals,
    task_stats,
    weighted_mean,
)
from waza_engine.model.suite import Metric
from waza_engine.model.threshold import is_failed
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.triggers import ACCURACY, accuracy_metric, trigger_metrics


def python_metrics(metrics: Iterable[Metric], tasks: Sequence[TaskRecord]) -> Iterator[MetricResult]:
    """The metrics with their values, in the order of the file."""
    for it in metrics:
        if it.name != ACCURACY:
            value = _metric_value(it.name, tasks)
            yield MetricResult(it.name, value, it.threshold, value >= it.threshold, it.weight)


def composite_score(results: Iterable[MetricResult]) -> float:
    """The metrics' values by weight, 0.0 without metrics."""
    return weighted_mean([(it.value, it.weight) for it in results])


def _metric_value(name: str, tasks: Sequence[TaskRecord]) -> float:
    match name:
        case "task_completion":
            # A task of which some trials passed was "partial", and counted as completed.
            return mean([float(it.stats is not None and it.stats.passed_runs > 0) for it in tasks])
        case "behavior_quality":
            # The mean over all trials that have results (docs/reference/waza-graders.md, section 7.14); those
            # without have score 0.
            found = [it.stats for it in tasks if it.stats]
            results = sum(it.runs_with_results for it in found)
            return sum(it.avg_score * it.total_runs for it in found) / results if results else 0.0
        case _:
            return mean([float(it.status == "passed") for it in tasks])


_WORST_FIRST: tuple[RunStatus, ...] = ("cancelled", "error", "failed", "passed")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended that did not come to its own end; empty for one that did."""

    status: Literal["", "error", "cancelled"] = ""
    error: str = ""


def seeded_random(run_id: str, task_index: int = -1) -> random.Random:
    """The random numbers for the intervals of a run: the same whenever the run is reported."""
    return random.Random(f"{run_id}/{task_index}")  # noqa: S311  # statistics, no secret


def trial_totals(trial: TrialRecord) -> TrialTotals:
    """What counts of a trial in the totals of its task."""
    # A grader that could not judge stands there alone, and is no result.
    has_results = any(it.status != "error" for it in trial.graders)
    spent = trial.trajectory.duration_ms
    return TrialTotals(trial.status, trial.score, trial.weighted_score, spent, has_results)


def task_record(
    task: TaskFrame,
    trials: Sequence[TrialRecord],
    error: str,
    rng: random.Random,
    runs: Sequence[TrialTotals] | None = None,
) -> TaskRecord:
    """A task's record; `error` is the hook problem that stopped it. Without trials it has no stats.

    `runs` are the totals of the trials when they are known already: then no trial is looked at.
    """
    runs = [trial_totals(it) for it in trials] if runs is None else runs
    stats = task_stats(runs, rng) if runs else None
    status = "failed" if error else stats.status if stats else "skipped"
    return TaskRecord(task.id, task.name, task.group, status, trials, stats, error, task.golden)


def task_totals(task: TaskRecord) -> TaskTotals:
    """What counts of a task in the totals of its run."""
    if task.stats is None:
        return TaskTotals(task.status)
    return TaskTotals(task.status, task.stats.avg_score, task.stats.avg_weighted_score)


def worst_status(statuses: Iterable[RunStatus]) -> RunStatus:
    """The worst one, which is that of several runs together; `error` when there is none."""
    found = set(statuses)
    return next((it for it in _WORST_FIRST if it in found), "error")


def run_record(  # what a run is made of, by name
    frame: RunFrame,
    *,
    run_id: str,
    started_at: float,
    duration_ms: int,
    tasks: Sequence[TaskRecord],
    triggers: Sequence[TriggerResult],
    ending: Ending,
    baseline: RunRecord | None = None,
) -> RunRecord:
    """The record of the whole run: a task that failed, or a metric below its threshold, makes it failed.

    With a baseline its tasks decide nothing by themselves: what counts is whether the skills helped.
    """
    measured = trigger_metrics(triggers) if triggers else None
    metric = accuracy_metric(frame.metrics, measured) if measured else None
    metrics: tuple[MetricResult, ...] = (metric,) if metric else ()
    totals = suite_totals([task_totals(it) for it in tasks], frame.trials, seeded_random(run_id))
    failed = any(not it.passed for it in metrics) or (
        not skills_helped(totals, baseline.totals) if baseline else any(it.status == "failed" for it in tasks)
    )
    if frame.scoring is not None:
        failed = is_failed(frame.scoring, tasks)
    return RunRecord(
        run_id=run_id,
        suite_name=frame.suite_name,
        skill=frame.skill,
        executor=frame.executor,
        model=frame.model,
        judge_model=frame.judge_model,
        trials=frame.trials,
        timeout_seconds=frame.timeout_seconds,
        started_at=started_at,
        duration_ms=duration_ms,
        status=ending.status or ("failed" if failed else "passed"),
        tasks=tuple(tasks),
        totals=totals,
        triggers=tuple(triggers),
        trigger_metrics=measured,
        metrics=metrics,
        error=ending.error,
        measures=tuple(python_metrics(frame.metrics, tasks)),
        baseline=baseline,
        shard=frame.shard,
        scoring=frame.scoring,
        eval_path=frame.eval_path,
        arm=frame.arm,
        planned=len(frame.tasks),
        unperformed=tuple(_unperformed_names(frame.tasks, tasks)),
    )


def _unperformed_names(planned: Sequence[TaskFrame], performed: Sequence[TaskRecord]) -> Iterator[str]:
    """The names of the planned tasks without a record; several may have one id, and one name."""
    left = Counter((it.task, it.name) for it in performed)
    for it in planned:
        left[it.id, it.name] -= 1
        if left[it.id, it.name] < 0:
            yield it.name
