"""Convert between rows of the run store and values. Executes no SQL."""

import dataclasses
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter

from waza_engine.lib.files.digests import digest
from waza_engine.lib.files.safe_read import MAX_RECORD_BYTES, inflate
from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.results.records import CheckpointOutcome, GraderOutcome, TrialRecord, TrialVerdict
from waza_engine.model.results.scores import Status
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.run_header import RunEnd, RunFrame
from waza_engine.runs.store.connection import strange

RUN_COLUMNS = (
    "run_id, eval_path, suite_name, executor, model, started_at, finished_at, status, score, frame, ending"
)
TRIAL_COLUMNS = (
    "id, run_id, task_id, task_index, trial, status, score, weighted_score, error, attempts, started_at,"
    " checkpoints, workspace, trajectory"
)

INFRASTRUCTURE = "infrastructure"
"""The stored status of an error of infrastructure. A status of its own needs no new column, so that old files are read as
they are."""


_STATUSES = frozenset(get_args(Status))
_NUMBER, _MAYBE = float | int, float | int | None
_RUN_TYPES = (str, str, str, str, str, _NUMBER, _MAYBE, str | None, _MAYBE, str, str)
_TRIAL_TYPES = (int, str, str, int, int, str, _NUMBER, _NUMBER, str, int, _NUMBER, str, str, bytes)
_RESULT_TYPES = (str, str, str, _NUMBER, _NUMBER, str, str | None, int, str | None, str, str)
_RUN_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,199}")
"""Ids of runs become names of files."""
_LATEST = 1e11
"""In the year 5138; Python's calendar ends in 9999."""
_WORD = re.compile(r"[a-z_]{1,30}")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as stored. Times are seconds since 1970.

    `finished_at`, `status` and `score` are None while it runs, and stay None if it was killed.
    """

    run_id: str
    eval_path: Path
    suite_name: str
    executor: str
    model: str
    started_at: float
    finished_at: float | None
    status: str | None
    score: float | None
    frame: RunFrame = field(default_factory=RunFrame)
    end: RunEnd = field(default_factory=RunEnd)


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """One finished trial of a stored run."""

    run_id: str
    record: TrialRecord


def to_json(value: Any) -> str:
    """Return a dataclass, or a tuple of them, as JSON."""
    data = [dataclasses.asdict(it) for it in value] if isinstance(value, tuple) else dataclasses.asdict(value)
    return json.dumps(data, default=str)


def stored_run(row: tuple[Any, ...]) -> StoredRun:
    _require_types(row, _RUN_TYPES)
    run_id, eval_path, *plain = row[:-2]
    if not _RUN_ID.fullmatch(run_id):
        raise strange(f"it has a run with the id {run_id[:40]!r}")
    _require_times(*row[5:7])
    if not _WORD.fullmatch(row[7] or "none"):
        raise strange(f"it has a run with the status {row[7][:40]!r}")
    frame, end = stored_frame(row[-2]), _from_json(RunEnd, row[-1])
    return StoredRun(run_id, Path(eval_path), *plain, frame, end)  # type: ignore[call-arg]  # the columns fit


def stored_frame(text: str) -> RunFrame:
    frame: RunFrame = _from_json(RunFrame, text)
    return frame


def _require_times(*times: float | None) -> None:
    if not all(it is None or abs(it) < _LATEST for it in times):
        raise strange("it has a time that no calendar has")


def status_of(stored: str) -> Any:
    """Return the status of a trial or grader for the stored one.

    Raises:
        ForeignStoreError: the file is not a store.

    """
    if stored == INFRASTRUCTURE:
        return "error"
    if stored not in _STATUSES:
        raise strange(f"it has the status {str(stored)[:40]!r}")
    return stored


def _stored_status(it: TrialRecord | GraderOutcome) -> str:
    return INFRASTRUCTURE if it.status == "error" and it.infrastructure else it.status


def trial_row(run_id: str, record: TrialRecord, finished_at: float) -> tuple[Any, ...]:
    """Return the values of a row of `trials`, in the order of `TRIAL_INSERT`."""
    return (
        run_id,
        record.task,
        record.task_index,
        record.trial,
        _stored_status(record),
        record.score,
        record.weighted_score,
        record.error,
        record.attempts,
        record.started_at,
        finished_at,
        zlib.compress(record.trajectory.model_dump_json().encode()),
        to_json(record.checkpoints),
        record.workspace,
        work_digest(record.trajectory),
    )


_NOT_WORK: Any = {
    **dict.fromkeys(("version", "task", "model", "prompt", "session_id", "stimulus", "artifact_dir"), True),
    "session": {"session_id"},
}
"""Members of a trajectory that graders do not judge, or that differ each time."""


def work_digest(trajectory: Trajectory) -> str:
    """Return a digest of what the agent did: the same for a trial and its replay.

    It is "" if not all of it was captured: graders may see a difference that the recording does not have.
    """
    if trajectory.uncaptured:
        return ""
    return digest(trajectory.model_dump_json(exclude=_NOT_WORK).encode())[:16]


TRIAL_INSERT = (
    "INSERT INTO trials (run_id, task_id, task_index, trial, status, score, weighted_score, error, attempts,"
    " started_at, finished_at, trajectory, checkpoints, workspace, work) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
    " ON CONFLICT (run_id, task_index, trial) DO NOTHING"
)


_COPIED = (
    "task_id, trial, status, score, weighted_score, error, attempts, started_at, finished_at, trajectory, checkpoints,"
    " workspace, work"
)
TRIAL_COPY = (
    f"INSERT INTO trials (run_id, task_index, {_COPIED}) SELECT ?, ?, {_COPIED} FROM trials"  # noqa: S608  # our own names
    " WHERE run_id = ? AND task_index = ? AND trial = ?"
)
_RESULT = "position, name, type, status, score, weight, feedback, details, duration_ms, path, pointer, parts"
RESULTS_COPY = (
    f"INSERT INTO results (trial_id, {_RESULT}) SELECT ?, {_RESULT} FROM results WHERE trial_id ="  # noqa: S608  # our own names
    " (SELECT id FROM trials WHERE run_id = ? AND task_index = ? AND trial = ?)"
)


def stored_trial(row: tuple[Any, ...], graders: tuple[GraderOutcome, ...]) -> StoredTrial:
    _require_types(row, _TRIAL_TYPES)
    _, run_id, task, task_index, trial, status, score, weighted, error, attempts, started_at, *rest = row
    _require_times(started_at)
    checkpoints, workspace, packed = rest
    record = TrialRecord(
        task,
        task_index,
        trial,
        status_of(status),
        score,
        weighted,
        Trajectory.model_validate_json(inflate(packed, MAX_RECORD_BYTES)),
        graders,
        error,
        attempts,
        started_at,
        stored_checkpoints(checkpoints),
        workspace,
        status == INFRASTRUCTURE,
    )
    return StoredTrial(run_id, record)


def stored_verdict(row: tuple[Any, ...]) -> TrialVerdict:
    _require_types(row, (str, int, str, _NUMBER))
    task, trial, status, score = row
    return TrialVerdict(task, trial, status_of(status), score, status == INFRASTRUCTURE)


def stored_checkpoints(text: str) -> tuple[CheckpointOutcome, ...]:
    outcomes: tuple[CheckpointOutcome, ...] = (
        () if text == "[]" else _from_json(tuple[CheckpointOutcome, ...], text)
    )
    return outcomes


def result_row(position: int, outcome: GraderOutcome) -> tuple[Any, ...]:
    return (
        position,
        outcome.name,
        outcome.type,
        _stored_status(outcome),
        outcome.score,
        outcome.weight,
        outcome.feedback,
        None if outcome.details is None else json.dumps(outcome.details, default=str),
        outcome.duration_ms,
        str(outcome.path) if outcome.path else None,
        json.dumps(outcome.pointer),
        to_json(outcome.parts),
    )


def stored_outcome(row: tuple[Any, ...]) -> GraderOutcome:
    _require_types(row, _RESULT_TYPES)
    name, kind, status, score, weight, feedback, details, duration_ms, path, pointer, parts = row
    entry_pointer = json.loads(pointer)
    if not isinstance(entry_pointer, list) or not all(isinstance(it, str | int) for it in entry_pointer):
        raise strange("it has a pointer that is not a list of keys")
    parsed_details: Mapping[str, Any] | None = None if details is None else json.loads(details)
    return GraderOutcome(
        name,
        kind,
        status_of(status),
        score,
        weight,
        feedback,
        parsed_details,
        duration_ms,
        Path(path) if path else None,
        tuple(entry_pointer),
        () if parts == "[]" else _from_json(tuple[FailedCheck, ...], parts),
        status == INFRASTRUCTURE,
    )


def _require_types(row: tuple[Any, ...], types: tuple[Any, ...]) -> None:
    """Check the types of a row: SQLite stores values of any type in any column.

    Raises:
        ForeignStoreError: a value has another type.

    """
    for value, kind in zip(row, types, strict=True):
        if not isinstance(value, kind):
            raise strange(f"it has a {type(value).__name__} where a {kind} should be")


def _from_json(kind: Any, text: str) -> Any:
    # Members of a newer version are dropped; members that an older version did not write get their default.
    return _adapter(kind).validate_json(text)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
