"""Read a file of one trial as a run without verdicts: a recording, or a trajectory in a format of a dialect."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import read_recording
from waza_engine.lib.files.safe_read import MAX_BYTES, TooLargeError, regular_bytes
from waza_engine.model.pydantic_messages import error_text
from waza_engine.model.results.records import RunRecord, TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.recognition.recognise import dialects_by_preference, load_object
from waza_engine.reports.results.read import ResultsError
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.totals import RunOutcome, run_record, seeded_random, task_record

_OF_RECORDINGS = frozenset(["transcript", "session", "tool_events"])
_OF_RESULTS = frozenset(["tasks", "summary"])
"""waza's results have these two; they are no trial."""


def read_trial_file(path: Path) -> RunRecord | None:
    """Return a run with the trial in a JSON file; None if the file holds the results of a run, or is larger than a trial.

    Raises:
        ResultsError: the file cannot be read, or holds something else.

    """
    try:
        data = json.loads(regular_bytes(path, MAX_BYTES).decode("utf-8-sig"))
    except TooLargeError:
        return None
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: not valid JSON: {error}") from error
    if isinstance(data, dict) and data.keys() >= _OF_RESULTS:
        return None
    trajectory = _trajectory(path, data) if isinstance(data, dict) else None
    if trajectory is None:
        raise ResultsError(f"{path}: neither the results of a run nor the recording of a trial")
    return _run_of(path, trajectory)


def _trajectory(path: Path, data: Mapping[str, Any]) -> Trajectory | None:
    for dialect in dialects_by_preference():
        if not dialect.read_trajectory:
            continue
        try:
            found: Trajectory | None = load_object(dialect.read_trajectory)(data, path.stem)
        except (ValidationError, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            raise ResultsError(f"{path}: not a trajectory of {dialect.name}: {error_text(error)}") from error
        if found is not None:
            return found
    if data.keys().isdisjoint(_OF_RECORDINGS):
        return None
    try:
        return read_recording(path)
    except ExecutorError as error:
        raise ResultsError(str(error)) from error


def _run_of(path: Path, trajectory: Trajectory) -> RunRecord:
    task = trajectory.task or path.stem
    trial = TrialRecord(
        task,
        task_index=0,
        trial=1,
        # Nothing has judged it.
        status="error" if trajectory.error else "skipped",
        score=0.0,
        weighted_score=0.0,
        trajectory=trajectory,
        error=trajectory.error,
    )
    return run_record(
        RunFrame(suite_name=path.stem, model=trajectory.model),
        RunOutcome(
            run_id="",
            started_at=0.0,
            duration_ms=trajectory.duration_ms,
            tasks=[task_record(TaskFrame(task, task), [trial], "", seeded_random("trial", 0))],
        ),
    )
