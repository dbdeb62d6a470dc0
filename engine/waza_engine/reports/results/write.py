"""Write a run as waza's results JSON, the format of its `--output` file.

See docs/reference/waza-formats.md, section 15.1; the field order is the same. `waza compare`, `waza grade` and dashboards
read the file. It is an export only: the store keeps runs in its own format.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from waza_engine.lib.timestamps import rfc3339
from waza_engine.model.results.consumption import Consumption
from waza_engine.model.results.records import MetricResult, RunRecord, TaskRecord, TriggerResult
from waza_engine.model.results.scores import Interval
from waza_engine.model.trajectory import Trajectory, Usage
from waza_engine.reports.results.task import (
    LazyItems,
    LazyList,
    ListFactory,
    interval_data,
    is_significant,
    task_data,
    without_empty,
)
from waza_engine.runs.totals import composite_score

SCHEMA_VERSION = "1.4"


def results_json(record: RunRecord) -> str:
    """Return the text of the results file, as `waza run --output` writes it, with the final newline."""
    return "".join(results_chunks(record))


def results_chunks(record: RunRecord) -> Iterator[str]:
    """Yield the text piece by piece, with at most one trial in memory."""
    encoder = json.JSONEncoder(indent=2, ensure_ascii=False, default=str)
    yield from encoder.iterencode(results_data(record, LazyList))
    yield "\n"


def results_data(record: RunRecord, make_list: ListFactory = list) -> dict[str, Any]:
    """Return the results as plain data. Members that waza omits when empty are omitted.

    `make_list` builds the lists of tasks and trials.
    """
    without = {it.task: it for it in record.baseline.tasks} if record.baseline else {}
    return without_empty(
        {
            "schemaVersion": SCHEMA_VERSION,
            "eval_id": f"run-{int(record.started_at)}",
            "skill": record.skill,
            "eval_name": record.suite_name,
            "timestamp": rfc3339(record.started_at, "microseconds"),
            "config": _config(record),
            "summary": _summary(record),
            "metrics": {it.name: _metric(it) for it in record.metrics},
            "tasks": make_list(
                LazyItems(record.tasks, lambda it: task_data(it, without.get(it.task), make_list))
            ),
            "trigger_metrics": _trigger_metrics(record),
            "trigger_results": [_trigger_result(it) for it in record.triggers],
            "metadata": _metadata(record),
            "baseline_outcome": {**results_data(record.baseline, make_list), "is_baseline": True}
            if record.baseline
            else None,
        },
        "trigger_metrics",
        "trigger_results",
        "metadata",
        "baseline_outcome",
    )


def _metadata(record: RunRecord) -> dict[str, Any]:
    """Facts that waza's format has no member for: the run's id, informational metrics, and why tasks are missing."""
    measured = {it.name: _metric(it) for it in record.measures}
    return without_empty(
        {
            "run_id": record.run_id,
            "status": record.status,
            "error": record.error,
            "infrastructure": record.infrastructure or None,
            "shard": record.shard,
            "scoring": {"threshold": record.scoring.threshold} if record.scoring is not None else None,
            "measures": measured,
            "composite_score": composite_score(record.measures) if measured else None,
        },
        "error",
        "infrastructure",
        "shard",
        "scoring",
        "measures",
        "composite_score",
    )


def _config(record: RunRecord) -> dict[str, Any]:
    return without_empty(
        {
            "runs_per_test": record.trials,
            "model_id": record.model,
            "engine_type": record.executor,
            "timeout_sec": record.timeout_seconds,
            "judge_model": record.judge_model,
        },
        "judge_model",
    )


def _summary(record: RunRecord) -> dict[str, Any]:
    totals = record.totals
    return without_empty(
        {
            "total_tests": totals.total,
            "succeeded": totals.succeeded,
            "failed": totals.failed,
            "errors": totals.errors,
            "skipped": totals.skipped,
            "success_rate": totals.success_rate,
            "aggregate_score": totals.aggregate_score,
            "weighted_score": totals.weighted_score,
            "min_score": totals.min_score,
            "max_score": totals.max_score,
            "std_dev": totals.std_dev,
            "duration_ms": record.duration_ms,
            "groups": _groups(record.tasks),
            "usage": _usage_sum(trial.trajectory for task in record.tasks for trial in task.trials),
            "judge_usage": _judge_usage(record.consumption),
            "statistics": _statistics(totals.interval),
            "infrastructure_runs": sum(it.stats.infrastructure_runs for it in record.tasks if it.stats),
        },
        "groups",
        "judge_usage",
        "usage",
        "statistics",
        "infrastructure_runs",
    )


def _judge_usage(used: Consumption) -> dict[str, Any] | None:
    """Return the tokens and cost of judges, which waza's format has no member for."""
    if not used.judge_requests and not used.judge_input_tokens:
        return None
    return {
        "requests": used.judge_requests,
        "input_tokens": used.judge_input_tokens,
        "output_tokens": used.judge_output_tokens,
        "cost": used.judge_cost,
    }


def _statistics(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {"bootstrap_ci": interval_data(interval), "is_significant": is_significant(interval)}


def _groups(tasks: Sequence[TaskRecord]) -> list[dict[str, Any]]:
    names = dict.fromkeys(it.group for it in tasks if it.group)
    groups = []
    for name in names:
        members = [it for it in tasks if it.group == name]
        scores = [it.stats.avg_score if it.stats else 0.0 for it in members]
        passed = sum(it.status == "passed" for it in members)
        average = sum(scores) / len(scores)
        groups.append({"name": name, "passed": passed, "total": len(members), "avg_score": average})
    return groups


def _metric(result: MetricResult) -> dict[str, Any]:
    return {
        "identifier": result.name,
        "value": result.value,
        "threshold": result.threshold,
        "passed": result.passed,
        "weight": result.weight,
    }


def _trigger_metrics(record: RunRecord) -> dict[str, Any] | None:
    metrics = record.trigger_metrics
    if metrics is None:
        return None
    return without_empty(
        {
            "true_positives": metrics.true_positives,
            "false_positives": metrics.false_positives,
            "true_negatives": metrics.true_negatives,
            "false_negatives": metrics.false_negatives,
            "errors": metrics.errors,
            "precision": metrics.precision,
            "recall": metrics.recall,
            "f1": metrics.f1,
            "accuracy": metrics.accuracy,
        },
        "errors",
    )


def _trigger_result(result: TriggerResult) -> dict[str, Any]:
    return without_empty(
        {
            "prompt": result.prompt,
            "confidence": result.confidence,
            "should_trigger": result.should_trigger,
            "did_trigger": result.did_trigger,
            "error_msg": result.error,
            "infrastructure": result.infrastructure or None,
        },
        "confidence",
        "error_msg",
        "infrastructure",
    )


def _usage_sum(trajectories: Iterable[Trajectory]) -> dict[str, Any] | None:
    usages = [it.session.usage for it in trajectories if it.session and it.session.usage]
    if not usages:
        return None
    return {key: sum(getattr(it, key) for it in usages) for key in Usage.model_fields}
