"""Build the records of tasks and runs from trials. No I/O; the arithmetic is in `waza_engine.statistics.totals`.

`measures` of a run are metrics that only the Python generation computed (docs/reference/waza-formats.md, section
14.5). Newer versions of waza read them and ignore their thresholds. We show them because authors of such evals expect
them, but they decide nothing. `trigger_accuracy` is a real metric (`runs/trigger_metrics.py`).
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from waza_engine.lib.plurals import counted
from waza_engine.model.results.consumption import Consumption, judge_consumption
from waza_engine.model.results.decisions import Decisions
from waza_engine.model.results.records import (
    MetricResult,
    RunRecord,
    RunStatus,
    TaskRecord,
    TrialRecord,
    TriggerResult,
)
from waza_engine.model.results.scores import (
    TaskTotals,
    TrialTotals,
    mean,
    skills_helped,
    weighted_mean,
)
from waza_engine.model.results.threshold import deciding_tasks, is_failed, success_rate
from waza_engine.model.suite import Metric
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.trigger_metrics import ACCURACY, accuracy_metric, trigger_metrics
from waza_engine.statistics.totals import suite_totals, task_stats

UNDECIDED_HINT = (
    "The infrastructure failed, not the agent: judge again with 'waza-lsp grade', or run again with --resume"
)
_PROMPTS_HINT = "The infrastructure failed, not the agent: run again with --resume"
_WORST_FIRST: tuple[RunStatus, ...] = ("cancelled", "error", "failed", "passed")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended early; empty for a run that completed."""

    status: Literal["", "error", "cancelled"] = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run has done, without the verdict on it. `baseline` is the record of the pass without skills."""

    run_id: str
    started_at: float
    tasks: Sequence[TaskRecord]
    duration_ms: int = 0
    triggers: Sequence[TriggerResult] = ()
    ending: Ending = Ending()  # frozen
    baseline: RunRecord | None = None
    decisions: Decisions | None = None


def run_record(frame: RunFrame, done: RunOutcome) -> RunRecord:
    """Return the record of the whole run. A failed task, or a metric below its threshold, makes the run fail.

    In a run with a baseline the tasks' own verdicts do not count: the run passes if the skills helped.
    Nor do they with `decisions`: then what was decided counts.
    """
    metric = accuracy_metric(frame.metrics, done.triggers)
    metrics: tuple[MetricResult, ...] = (metric,) if metric else ()
    failed = _has_failed(frame, done, metrics)
    ending, undecided = done.ending, ""
    if not ending.status and not failed:
        undecided = _undecided_message(done)
        if undecided:
            ending = Ending("error", undecided)
        elif done.decisions is not None and done.decisions.is_open:
            ending = Ending("error", done.decisions.error)
    return RunRecord(
        run_id=done.run_id,
        suite_name=frame.suite_name,
        skill=frame.skill,
        executor=frame.executor,
        model=frame.model,
        judge_model=frame.judge_model,
        trials=frame.trials,
        timeout_seconds=frame.timeout_seconds,
        started_at=done.started_at,
        duration_ms=done.duration_ms,
        status=ending.status or ("failed" if failed else "passed"),
        tasks=tuple(done.tasks),
        totals=suite_totals([task_totals(it) for it in done.tasks], frame.trials, seeded_random(done.run_id)),
        triggers=tuple(done.triggers),
        trigger_metrics=trigger_metrics(done.triggers),
        metrics=metrics,
        error=ending.error,
        measures=tuple(python_metrics(frame.metrics, done.tasks)),
        baseline=done.baseline,
        shard=frame.shard,
        scoring=frame.scoring,
        eval_path=frame.eval_path,
        arm=frame.arm,
        planned=len(frame.tasks),
        unperformed=tuple(_unperformed_names(frame.tasks, done.tasks)),
        infrastructure=bool(undecided),
        decisions=done.decisions,
    )


def _has_failed(frame: RunFrame, done: RunOutcome, metrics: Iterable[MetricResult]) -> bool:
    tasks, is_below = deciding_tasks(done.tasks), any(not it.passed for it in metrics)
    if done.decisions is not None:
        return done.decisions.is_bad or any(it.error for it in tasks) or is_below
    if frame.scoring is not None:
        return is_failed(frame.scoring, tasks)
    if done.baseline is None:
        return is_below or any(it.status == "failed" for it in tasks)
    without = deciding_tasks(done.baseline.tasks)
    is_decided = not _undecided_trials([*tasks, *without])
    return is_below or (is_decided and not skills_helped(success_rate(tasks), success_rate(without)))


def _undecided_trials(tasks: Iterable[TaskRecord]) -> int:
    return sum(it.stats.infrastructure_runs for it in tasks if it.stats)


def _undecided_message(done: RunOutcome) -> str:
    """Return what could not be judged and why; "" if all could."""
    tasks = [*deciding_tasks(done.tasks), *(deciding_tasks(done.baseline.tasks) if done.baseline else ())]
    count = 0 if done.decisions is not None else _undecided_trials(tasks)
    prompts = sum(it.infrastructure for it in done.triggers)
    if not count and not prompts:
        return ""
    trials = (trial for it in tasks if it.stats and it.stats.infrastructure_runs for trial in it.trials)
    reasons = (it.error for it in chain(trials, done.triggers) if it.infrastructure)
    why = next(reasons, "")
    counts = ((count, "trial"), (prompts, "trigger prompt"))
    what = " and ".join(counted(number, it) for number, it in counts if number)
    hint = UNDECIDED_HINT if count else _PROMPTS_HINT
    return f"{what} could not be judged. {hint}{f'. First reason: {why}' if why else ''}"


def task_record(
    task: TaskFrame,
    trials: Sequence[TrialRecord],
    error: str,
    rng: random.Random,
    runs: Sequence[TrialTotals] | None = None,
) -> TaskRecord:
    """Return a task's record. `error` is the hook error that stopped it. Without trials it has no stats.

    Pass `runs`, the totals of the trials, if they are known: then no trial is read from the store.
    """
    runs = [trial_totals(it) for it in trials] if runs is None else runs
    stats = task_stats(runs, rng) if runs else None
    status = "failed" if error else stats.status if stats else "skipped"
    return TaskRecord(
        task.id, task.name, task.group, status, trials, stats, error, task.golden, quarantine=task.quarantine
    )


def trial_totals(trial: TrialRecord) -> TrialTotals:
    """Return the part of a trial that counts for its task's totals."""
    # If a grader fails with an error, its outcome is the only one and counts as no result.
    has_results = any(it.status != "error" for it in trial.graders)
    return TrialTotals(
        trial.status,
        trial.score,
        trial.weighted_score,
        trial.trajectory.duration_ms,
        has_results,
        trial.infrastructure,
        _consumption(trial),
    )


def _consumption(trial: TrialRecord) -> Consumption:
    """Return what a trial consumed: its agent, and the judges of all its graders."""
    graders = (*trial.graders, *(grader for point in trial.checkpoints for grader in point.graders))
    judges = judge_consumption(it.details for it in graders)
    usage = trial.trajectory.session.usage if trial.trajectory.session else None
    if usage is None:
        return judges
    return judges + Consumption(usage.input_tokens, usage.output_tokens, usage.premium_requests)


def task_totals(task: TaskRecord) -> TaskTotals:
    """Return the part of a task that counts for its run's totals."""
    if task.stats is None:
        return TaskTotals(task.status)
    stats = task.stats
    return TaskTotals(task.status, stats.avg_score, stats.avg_weighted_score, stats.decided_runs > 0)


def python_metrics(metrics: Iterable[Metric], tasks: Sequence[TaskRecord]) -> Iterator[MetricResult]:
    """Yield the metrics of the Python generation with their values, in the order of the file."""
    for it in metrics:
        if it.name != ACCURACY:
            value = _metric_value(it.name, tasks)
            yield MetricResult(it.name, value, it.threshold, value >= it.threshold, it.weight)


def composite_score(results: Iterable[MetricResult]) -> float:
    """Return the weighted mean of the metrics' values; 0.0 without metrics."""
    return weighted_mean([(it.value, it.weight) for it in results])


def worst_status(statuses: Iterable[RunStatus]) -> RunStatus:
    """Return the worst status, which is the combined status of several runs; `error` for none."""
    present = set(statuses)
    return next((it for it in _WORST_FIRST if it in present), "error")


def seeded_random(run_id: str, task_index: int = -1) -> random.Random:
    """Return random numbers for a run's confidence intervals: the same in every report of the run."""
    return random.Random(f"{run_id}/{task_index}")  # noqa: S311  # statistics, not security


def _metric_value(name: str, tasks: Sequence[TaskRecord]) -> float:
    match name:
        case "task_completion":
            # A task with some passed trials was "partial", which counted as completed.
            return mean([float(it.stats is not None and it.stats.passed_runs > 0) for it in tasks])
        case "behavior_quality":
            # The mean over all trials with results (docs/reference/waza-graders.md, section 7.14). Trials without
            # results have score 0.
            stats = [it.stats for it in tasks if it.stats]
            count = sum(it.runs_with_results for it in stats)
            return sum(it.avg_score * it.decided_runs for it in stats) / count if count else 0.0
        case _:
            return mean([float(it.status == "passed") for it in tasks])


def _unperformed_names(planned: Sequence[TaskFrame], performed: Sequence[TaskRecord]) -> Iterator[str]:
    """Yield the names of planned tasks without a record. Several tasks may share an id and a name."""
    left = Counter((it.task, it.name) for it in performed)
    for it in planned:
        left[it.id, it.name] -= 1
        if left[it.id, it.name] < 0:
            yield it.name
