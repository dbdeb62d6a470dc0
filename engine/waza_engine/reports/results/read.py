"""Read waza's results JSON back into a record, to compare, merge and report runs of other machines or of waza.

The file does not have everything: tool calls have five arguments only, and workspace files are missing.
Totals are computed again from the runs.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from waza_engine.lib.files.safe_read import MAX_RESULTS_BYTES, regular_bytes
from waza_engine.lib.timestamps import unix_seconds
from waza_engine.model.pydantic_messages import error_text
from waza_engine.model.results.records import (
    Change,
    GraderOutcome,
    RunRecord,
    SinceGreen,
    TaskRecord,
    TrialRecord,
    TriggerResult,
)
from waza_engine.model.results.scores import weighted_mean
from waza_engine.model.suite import CONSTRAINT, Metric, Scoring
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.totals import Ending, RunOutcome, run_record, seeded_random, task_record

_MAJOR_VERSION, _SCENARIO_VERSION = "1", "2.0"
"""Minor versions only add keys, which are ignored (docs/reference/waza-newest.md, section 3)."""
_STATUSES = frozenset(["passed", "failed", "error", "skipped"])


class ResultsError(Exception):
    """The file contains no results; the message says why."""


def read_results(path: Path) -> RunRecord:
    """Return the record of a results file.

    Raises:
        ResultsError: the file cannot be read, or is something else.

    """
    try:
        data = strict_json(regular_bytes(path, MAX_RESULTS_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: not valid JSON: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("tasks"), list) or "summary" not in data:
        raise ResultsError(
            f"{path}: not the results of a run; create them with waza-lsp run EVAL --output FILE"
        )
    version = str(data.get("schemaVersion") or "")
    if version not in {"", _SCENARIO_VERSION} and version.partition(".")[0] != _MAJOR_VERSION:
        raise ResultsError(
            f"{path}: results of format {version} are not supported, only 1.x and {_SCENARIO_VERSION}"
        )
    try:
        return record_of(data)
    except (ValidationError, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        raise ResultsError(f"{path}: not waza's results format: {error_text(error)}") from error


def strict_json(text: str) -> Any:
    """Return JSON data whose numbers are all finite. Others would be scores that no comparison could read.

    Raises:
        ValueError: the text is not valid JSON.

    """
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number")


def _finite(text: str) -> float:
    return number if math.isfinite(number := float(text)) else _refuse(text)


def record_of(data: Mapping[str, Any]) -> RunRecord:
    """Return the record that the data of a results file describe."""
    config, metadata = _map(data.get("config")), _map(data.get("metadata"))
    run_id = str(metadata.get("run_id") or data.get("eval_id") or "")
    scoring = _scoring(metadata.get("scoring"))
    started_at = unix_seconds(str(data.get("timestamp") or ""))
    tasks = [
        _task(task, index, run_id, started_at, is_weighted=scoring is not None)
        for index, task in enumerate(data["tasks"])
    ]
    frame = RunFrame(
        suite_name=str(data.get("eval_name") or ""),
        skill=str(data.get("skill") or ""),
        executor=str(config.get("engine_type") or ""),
        model=str(config.get("model_id") or ""),
        judge_model=str(config.get("judge_model") or ""),
        trials=int(config.get("runs_per_test") or 1),
        timeout_seconds=int(config.get("timeout_sec") or 0),
        metrics=tuple(_metrics({**_map(data.get("metrics")), **_map(metadata.get("measures"))})),
        shard=str(metadata.get("shard") or ""),
        scoring=scoring,
    )
    baseline = data.get("baseline_outcome")
    return run_record(
        frame,
        RunOutcome(
            run_id=run_id,
            started_at=started_at,
            duration_ms=int(_map(data["summary"]).get("duration_ms") or 0),
            tasks=tasks,
            triggers=[_trigger(it) for it in data.get("trigger_results") or []],
            ending=_ending(metadata),
            baseline=record_of(baseline) if isinstance(baseline, dict) else None,
        ),
    )


def _ending(metadata: Mapping[str, Any]) -> Ending:
    if metadata.get("infrastructure"):
        return Ending()  # The trials say that they could not be judged.
    match metadata.get("status"):
        case "error":
            return Ending("error", str(metadata.get("error") or ""))
        case "cancelled":
            return Ending("cancelled", str(metadata.get("error") or ""))
        case _:
            return Ending()


def _scoring(data: Any) -> Scoring | None:
    """How the scores were combined, unless it was waza's way."""
    if not isinstance(data, Mapping):
        return None
    threshold = data.get("threshold")
    return Scoring(float(threshold) if isinstance(threshold, int | float) else None)


def _task(
    data: Mapping[str, Any], index: int, run_id: str, started_at: float, *, is_weighted: bool
) -> TaskRecord:
    name, quarantine = str(data.get("test_id") or ""), _map(data.get("quarantine"))
    frame = TaskFrame(
        name,
        str(data.get("display_name") or ""),
        str(data.get("group") or ""),
        bool(data.get("golden")),
        quarantine=str(quarantine.get("reason") or ""),
    )
    trials = [_trial(it, name, index, number) for number, it in enumerate(data.get("runs") or [], 1)]
    trials = [it if it.started_at else replace(it, started_at=started_at) for it in trials]
    if is_weighted:
        trials = [replace(it, score=it.weighted_score) for it in trials]
    error = "" if trials or data.get("status") != "failed" else "The task was stopped before its first trial"
    record = task_record(frame, trials, error, seeded_random(run_id, index))
    return replace(
        record,
        since_green=_since_green(data.get("since_green")),
        passed_in_a_row=int(quarantine.get("passed_runs_in_a_row") or 0),
    )


def _since_green(data: Any) -> SinceGreen | None:
    if not isinstance(data, Mapping):
        return None
    changes = [_map(it) for it in data.get("changes") or ()]
    return SinceGreen(
        str(data.get("run_id") or ""),
        unix_seconds(str(data.get("timestamp") or "")),
        tuple(
            Change(str(it.get("what") or ""), str(it.get("before") or ""), str(it.get("after") or ""))
            for it in changes
        ),
        tuple(str(it) for it in data.get("unknown") or ()),
    )


def _trial(data: Mapping[str, Any], task: str, index: int, number: int) -> TrialRecord:
    graders = tuple(_outcome(key, it) for key, it in _map(data.get("validations")).items())
    digest = _map(data.get("session_digest"))
    trajectory = Trajectory.model_validate(
        {
            "task": task,
            "prompt": data.get("prompt") or "",
            "output": data.get("final_output") or "",
            "duration_ms": data.get("duration_ms") or 0,
            "session_id": digest.get("session_id") or "",
            "transcript": data.get("transcript") or [],
            "session": {**digest, "usage": digest.get("usage") or data.get("usage")},
            "tool_events": data.get("tool_events") or [],
            "skills": data.get("skill_invocations") or [],
            "command_invocations": data.get("command_invocations") or [],
            "responder": data.get("responder") or None,
        }
    )
    status = data.get("status")
    scores = [it.score for it in graders]
    return TrialRecord(
        task=task,
        task_index=index,
        trial=int(data.get("run_number") or number),
        status=status if status in _STATUSES else "error",
        score=sum(scores) / len(scores) if scores else 0.0,
        weighted_score=weighted_mean([(it.score, it.weight) for it in graders]),
        trajectory=trajectory,
        graders=graders,
        error=str(data.get("error_msg") or ""),
        attempts=int(data.get("attempts") or 1),
        # The file has no other time of a trial.
        started_at=unix_seconds(str(_map(data.get("failure_artifacts")).get("captured_at") or "")),
        workspace=str(data.get("workspace_dir") or ""),
        infrastructure=status == "error" and bool(data.get("infrastructure")),
    )


def _outcome(name: str, data: Mapping[str, Any]) -> GraderOutcome:
    return GraderOutcome(
        name=str(data.get("identifier") or name),
        type=str(data.get("type") or ""),
        status="passed" if data.get("passed") else "error" if data.get("infrastructure") else "failed",
        score=float(data.get("score") or 0.0),
        # Constraints do not count in scores.
        weight=0.0 if data.get("type") == CONSTRAINT else float(data.get("weight") or 1.0),
        feedback=str(data.get("feedback") or ""),
        details=_map(data.get("details")) or None,
        duration_ms=int(data.get("duration_ms") or 0),
        infrastructure=bool(data.get("infrastructure")) and not data.get("passed"),
    )


def _metrics(data: Mapping[str, Any]) -> list[Metric]:
    return [
        Metric(name, float(value.get("weight") or 0.0), float(value.get("threshold") or 0.0))
        for name, value in data.items()
    ]


def _trigger(data: Mapping[str, Any]) -> TriggerResult:
    return TriggerResult(
        str(data.get("prompt") or ""),
        str(data.get("confidence") or ""),
        bool(data.get("should_trigger")),
        bool(data.get("did_trigger")),
        str(data.get("error_msg") or ""),
        bool(data.get("infrastructure")),
    )


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
