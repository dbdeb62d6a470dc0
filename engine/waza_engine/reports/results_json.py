"""A run as waza's results JSON, the shape of its `--output` file (waza-formats.md, section 15.1, field order as there).

Other programs (`waza compare`, `waza grade`, dashboards) read it. It is an export: runs are stored elsewhere.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from waza_engine.runs.records import (
    GraderOutcome,
    MetricResult,
    RunRecord,
    TaskRecord,
    TrialRecord,
    TriggerResult,
)
from waza_engine.scoring import Interval, TaskStats
from waza_engine.trajectory import Session, ToolCall, Trajectory, Usage

SCHEMA_VERSION = "1.4"
_ARGUMENTS = ("path", "file_text", "command", "description", "skill")
_EVENT_KEYS = (
    "type",
    "content",
    "message",
    "arguments",
    "success",
    "tool_call_id",
    "tool_name",
    "tool_result",
)


def results_json(record: RunRecord) -> str:
    """The text of the results file."""
    return json.dumps(results_data(record), indent=2, ensure_ascii=False, default=str) + "\n"


def results_data(record: RunRecord) -> dict[str, Any]:
    """The results as plain data. Members that waza omits when empty are left out when empty."""
    return _without_empty(
        {
            "schemaVersion": SCHEMA_VERSION,
            "eval_id": f"run-{int(record.started_at)}",
            "skill": record.skill,
            "eval_name": record.suite_name,
            "timestamp": _moment(record.started_at),
            "config": _config(record),
            "summary": _summary(record),
            "metrics": {it.name: _metric(it) for it in record.metrics},
            "tasks": [_task(it) for it in record.tasks],
            "trigger_metrics": _trigger_metrics(record),
            "trigger_results": [_trigger_result(it) for it in record.triggers],
        },
        "trigger_metrics",
        "trigger_results",
    )


def _config(record: RunRecord) -> dict[str, Any]:
    return _without_empty(
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
    return _without_empty(
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
            "usage": _usage_sum([trial.trajectory for task in record.tasks for trial in task.trials]),
            "statistics": _statistics(totals.interval),
        },
        "groups",
        "usage",
        "statistics",
    )


def _statistics(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {"bootstrap_ci": _interval(interval), "is_significant": _is_significant(interval)}


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


def _task(task: TaskRecord) -> dict[str, Any]:
    return _without_empty(
        {
            "test_id": task.task,
            "display_name": task.name,
            "group": task.group,
            "status": task.status,
            "runs": [_run(it) for it in task.trials],
            "stats": _stats(task.stats) if task.stats else None,
        },
        "group",
        "stats",
    )


def _run(trial: TrialRecord) -> dict[str, Any]:
    it = trial.trajectory
    return _without_empty(
        {
            "run_number": trial.trial,
            "attempts": trial.attempts,
            "prompt": it.prompt,
            "status": trial.status,
            "duration_ms": it.duration_ms,
            # A grader that errors leaves no results at all.
            "validations": {v.name: _validation(v) for v in trial.graders if v.status != "error"},
            "session_digest": _digest(it.session or Session(session_id=it.session_id)),
            "transcript": [_event(event) for event in it.transcript],
            "final_output": it.output,
            "error_msg": trial.error,
            "skill_invocations": [
                _without_empty({"name": s.name, "path": s.path}, "path") for s in it.skills
            ],
            "usage": _usage(it.session.usage) if it.session and it.session.usage else None,
            "tool_events": [event.model_dump() for event in it.tool_events],
        },
        "prompt",
        "transcript",
        "error_msg",
        "skill_invocations",
        "usage",
        "tool_events",
    )


def _validation(outcome: GraderOutcome) -> dict[str, Any]:
    return _without_empty(
        {
            "identifier": outcome.name,
            "type": outcome.type,
            "score": outcome.score,
            "weight": outcome.weight,
            "passed": outcome.passed,
            "feedback": outcome.feedback,
            "details": outcome.details,
            "duration_ms": outcome.duration_ms,
        },
        "details",
    )


def _digest(session: Session) -> dict[str, Any]:
    return _without_empty(
        {
            "tool_call_count": session.tool_call_count,
            "tools_used": list(session.tools_used),
            "tool_calls": [_call(it) for it in session.tool_calls],
            "errors": list(session.errors),
            "usage": _usage(session.usage) if session.usage else None,
            "session_id": session.session_id,
        },
        "tool_calls",
        "usage",
        "session_id",
    )


def _call(call: ToolCall) -> dict[str, Any]:
    # The digest keeps these five arguments only, always as texts; the full ones are in tool_events.
    arguments = {key: _text(call.arguments.get(key)) for key in _ARGUMENTS}
    return _without_empty(
        {"name": call.name, "arguments": arguments, "result": call.result, "success": call.success}, "result"
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: event[key] for key in _EVENT_KEYS if event.get(key) is not None}


def _usage(usage: Usage) -> dict[str, Any]:
    return usage.model_dump()


def _usage_sum(trajectories: Sequence[Trajectory]) -> dict[str, Any] | None:
    usages = [it.session.usage for it in trajectories if it.session and it.session.usage]
    if not usages:
        return None
    return {key: sum(getattr(it, key) for it in usages) for key in Usage.model_fields}


def _stats(stats: TaskStats) -> dict[str, Any]:
    interval = stats.interval
    return _without_empty(
        {
            "pass_rate": stats.pass_rate,
            "flakiness_percent": stats.flakiness_percent,
            "passed_runs": stats.passed_runs,
            "failed_runs": stats.failed_runs,
            "error_runs": stats.error_runs,
            "total_runs": stats.total_runs,
            "avg_score": stats.avg_score,
            "avg_weighted_score": stats.avg_weighted_score,
            "min_score": stats.min_score,
            "max_score": stats.max_score,
            "std_dev_score": stats.std_dev_score,
            "score_variance": stats.score_variance,
            "ci95_lo": interval.lower if interval else 0.0,
            "ci95_hi": interval.upper if interval else 0.0,
            "flaky": stats.flaky,
            "avg_duration_ms": stats.avg_duration_ms,
            "bootstrap_ci": _interval(interval) if interval else None,
            "is_significant": _is_significant(interval) if interval else None,
        },
        "bootstrap_ci",
        "is_significant",
    )


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "lower": interval.lower,
        "upper": interval.upper,
        "mean": interval.mean,
        "confidence_level": interval.confidence_level,
        "num_bootstraps": interval.resamples,
    }


def _is_significant(interval: Interval) -> bool:
    return not interval.lower <= 0 <= interval.upper


def _trigger_metrics(record: RunRecord) -> dict[str, Any] | None:
    it = record.trigger_metrics
    if it is None:
        return None
    return _without_empty(
        {
            "true_positives": it.true_positives,
            "false_positives": it.false_positives,
            "true_negatives": it.true_negatives,
            "false_negatives": it.false_negatives,
            "errors": it.errors,
            "precision": it.precision,
            "recall": it.recall,
            "f1": it.f1,
            "accuracy": it.accuracy,
        },
        "errors",
    )


def _trigger_result(it: TriggerResult) -> dict[str, Any]:
    return _without_empty(
        {
            "prompt": it.prompt,
            "confidence": it.confidence,
            "should_trigger": it.should_trigger,
            "did_trigger": it.did_trigger,
            "error_msg": it.error,
        },
        "confidence",
        "error_msg",
    )


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _without_empty(data: dict[str, Any], *optional: str) -> dict[str, Any]:
    """`data` without those of its `optional` members that are empty (None, "", 0, [], {})."""
    return {key: value for key, value in data.items() if key not in optional or not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return value is None or (not isinstance(value, bool) and value in ("", 0, [], {}))
