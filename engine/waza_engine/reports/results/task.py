"""Write one task of waza's results JSON, with its runs (docs/reference/waza-formats.md, section 15.1, same field order).

Lists may be lazy: the JSON encoder gets their items one by one, so that only one trial is in memory at a time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.lib.timestamps import rfc3339
from waza_engine.model.results.records import (
    CheckpointOutcome,
    GraderOutcome,
    SinceGreen,
    TaskRecord,
    TrialRecord,
)
from waza_engine.model.results.scores import Interval, TaskStats
from waza_engine.model.trajectory import DIGEST_ARGUMENTS, Session, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class LazyItems:
    """The results of `convert` for each of `items`, computed on every iteration."""

    items: Sequence[Any]
    convert: Callable[[Any], Any]

    def __iter__(self) -> Iterator[Any]:
        return (self.convert(it) for it in self.items)

    def __len__(self) -> int:
        return len(self.items)


ListFactory = Callable[[LazyItems], list[Any]]
"""How lists of tasks and trials are built: `list`, or `LazyList`."""


class LazyList(list[Any]):
    """A lazy list; it inherits from `list` because the JSON encoder requires that."""

    def __init__(self, many: LazyItems) -> None:
        super().__init__()
        self._many = many

    def __iter__(self) -> Iterator[Any]:
        return iter(self._many)

    def __len__(self) -> int:
        return len(self._many)

    def __bool__(self) -> bool:
        return bool(self._many.items)


_LEAST_RATE = 0.01
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


def task_data(
    task: TaskRecord, baseline: TaskRecord | None = None, make_list: ListFactory = list
) -> dict[str, Any]:
    """Return the task's entry in the results; `baseline` is the same task in the run without skills."""
    return without_empty(
        {
            "test_id": task.task,
            "display_name": task.name,
            "group": task.group,
            "golden": task.golden or None,
            "status": task.status,
            "runs": make_list(LazyItems(task.trials, run_data)),
            "stats": _stats(task.stats) if task.stats else None,
            "skill_impact": skill_impact(task, baseline),
            "quarantine": _quarantine(task),
            "since_green": _since_green(task.since_green) if task.since_green else None,
        },
        "group",
        "golden",
        "stats",
        "skill_impact",
        "quarantine",
        "since_green",
    )


def _quarantine(task: TaskRecord) -> dict[str, Any] | None:
    """Return why the task does not decide the run, which waza's format has no member for."""
    if not task.quarantine:
        return None
    return {"reason": task.quarantine, "passed_runs_in_a_row": task.passed_in_a_row}


def _since_green(found: SinceGreen) -> dict[str, Any]:
    """Return what has changed since the task passed, which waza's format has no member for."""
    return {
        "run_id": found.run_id,
        "timestamp": rfc3339(found.started_at, "microseconds"),
        "changes": [
            without_empty({"what": it.what, "before": it.before, "after": it.after}, "before", "after")
            for it in found.changes
        ],
        "unknown": list(found.unknown),
        "text": found.text,
    }


def skill_impact(task: TaskRecord, baseline: TaskRecord | None) -> dict[str, float] | None:
    """Return how the skills changed the pass rate; None without a baseline.

    See docs/reference/waza-formats.md, section 13.7.
    """
    if task.stats is None or baseline is None or baseline.stats is None:
        return None
    rate, without = task.stats.pass_rate, baseline.stats.pass_rate
    return {
        "pass_rate_with_skills": rate,
        "pass_rate_baseline": without,
        "delta": rate - without,
        "percent_change": (rate - without) / max(without, _LEAST_RATE) * 100,
    }


def run_data(trial: TrialRecord) -> dict[str, Any]:
    """Return a trial: an entry of the task's `runs`."""
    trajectory = trial.trajectory
    return without_empty(
        {
            "run_number": trial.trial,
            "attempts": trial.attempts,
            "prompt": trajectory.prompt,
            "status": trial.status,
            "duration_ms": trajectory.duration_ms,
            # If a grader's error makes the whole trial an error, the grader has no result.
            "validations": {
                v.name: _validation(v)
                for v in trial.graders
                if v.status != "error" or trial.status != "error"
            },
            "session_digest": digest_data(trajectory.session or Session(session_id=trajectory.session_id)),
            "transcript": [_event(event) for event in trajectory.transcript],
            "final_output": trajectory.output,
            "error_msg": trial.error,
            "infrastructure": trial.infrastructure or None,
            "skill_invocations": [
                without_empty({"name": s.name, "path": s.path}, "path") for s in trajectory.skills
            ],
            "usage": _usage(trajectory.session.usage)
            if trajectory.session and trajectory.session.usage
            else None,
            "workspace_dir": trial.workspace,
            "failure_artifacts": _artifacts(trial),
            "responder": trajectory.responder.model_dump() if trajectory.responder else None,
            "checkpoints": [_checkpoint(c) for c in trial.checkpoints],
            "tool_events": [event.model_dump() for event in trajectory.tool_events],
            "command_invocations": [
                without_empty(call.model_dump(), "args") for call in trajectory.command_invocations
            ],
        },
        "prompt",
        "transcript",
        "error_msg",
        "infrastructure",
        "skill_invocations",
        "usage",
        "workspace_dir",
        "failure_artifacts",
        "responder",
        "checkpoints",
        "tool_events",
        "command_invocations",
    )


def _artifacts(trial: TrialRecord) -> dict[str, Any] | None:
    """The first facts for someone who investigates a failure; the rest is in the run itself."""
    if trial.status not in {"failed", "error"}:
        return None
    failed = [it.name for it in trial.graders if not it.passed]
    artifacts = {"exit_code": 1 if trial.status == "failed" else 2, "failed_graders": failed}
    return without_empty({**artifacts, "captured_at": rfc3339(trial.started_at, "seconds")}, "failed_graders")


def _checkpoint(checkpoint: CheckpointOutcome) -> dict[str, Any]:
    validations = {v.name: _validation(v) for v in checkpoint.graders if v.status != "error"}
    errors = [v.feedback for v in checkpoint.graders if v.status == "error"]
    return without_empty(
        {
            "after_turn": checkpoint.after_turn,
            "status": checkpoint.status,
            "validations": validations,
            "error_msg": "; ".join(errors),
        },
        "error_msg",
    )


def _validation(outcome: GraderOutcome) -> dict[str, Any]:
    return without_empty(
        {
            "identifier": outcome.name,
            "type": outcome.type,
            "score": outcome.score,
            "weight": outcome.weight,
            "passed": outcome.passed,
            "feedback": outcome.feedback,
            "details": outcome.details,
            "duration_ms": outcome.duration_ms,
            "infrastructure": outcome.infrastructure or None,
        },
        "details",
        "infrastructure",
    )


def digest_data(session: Session) -> dict[str, Any]:
    """Return a session's tool calls, counts and usage, with shortened arguments."""
    return without_empty(
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
    # The digest has only these five arguments, as strings; all arguments are in tool_events.
    arguments = {key: _text(call.arguments.get(key)) for key in DIGEST_ARGUMENTS}
    return without_empty(
        {"name": call.name, "arguments": arguments, "result": call.result, "success": call.success}, "result"
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {key: event[key] for key in _EVENT_KEYS if event.get(key) is not None}


def _usage(usage: Usage) -> dict[str, Any]:
    return usage.model_dump()


def _stats(stats: TaskStats) -> dict[str, Any]:
    interval = stats.interval
    return without_empty(
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
            "bootstrap_ci": interval_data(interval) if interval else None,
            "is_significant": is_significant(interval) if interval else None,
            "infrastructure_runs": stats.infrastructure_runs,
        },
        "bootstrap_ci",
        "is_significant",
        "infrastructure_runs",
    )


def interval_data(interval: Interval) -> dict[str, Any]:
    return {
        "lower": interval.lower,
        "upper": interval.upper,
        "mean": interval.mean,
        "confidence_level": interval.confidence_level,
        "num_bootstraps": interval.resamples,
    }


def is_significant(interval: Interval) -> bool:
    return not interval.lower <= 0 <= interval.upper


def without_empty(data: dict[str, Any], *optional: str) -> dict[str, Any]:
    """Return `data` without those `optional` members that are empty (None, "", 0, [], {})."""
    return {key: value for key, value in data.items() if key not in optional or not _is_empty(value)}


def _is_empty(value: Any) -> bool:
    return value is None or (not isinstance(value, bool) and value in ("", 0, [], {}))
