"""Write a run's trajectories as recordings: the files that `--executor replay` reads."""

import json
from collections.abc import Collection
from pathlib import Path

from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import is_of_another, read_recording, recording_file
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.model.results.records import RunRecord, TrialRecord


class RecordingError(Exception):
    """A recording cannot be written; the message says which one and why."""


def write_recordings(record: RunRecord, folder: Path, trigger_skill: str = "") -> int:
    """Write every performed trial into `folder` and return their number.

    Deletes older recordings of further trials of the same tasks, which would be replayed beside the new ones.
    `trigger_skill` is the skill under test in the trigger tests.

    Raises:
        RecordingError: a file cannot be written, or belongs to a trial of another task.

    """
    trials = [trial for task in record.tasks for trial in task.trials if _was_performed(trial)]
    try:
        numbered = {_numbered_file(folder, it) for it in trials}
        for it in trials:
            path = _recording_path(folder, it, numbered)
            write_text_atomic(path, [it.trajectory.model_dump_json(indent=2), "\n"])
        for name in {it.task for it in trials}:
            _delete_surplus(folder, name, record.trials)
        if record.triggers:
            text = json.dumps(_trigger_prompts(record, trigger_skill), indent=2, ensure_ascii=False)
            write_text_atomic(folder / "triggers.json", [text, "\n"])
    except OSError as error:
        raise RecordingError(f"The recordings cannot be written to {folder}: {error.strerror}") from error
    except ExecutorError as error:
        raise RecordingError(str(error)) from error
    return len(trials)


def _was_performed(trial: TrialRecord) -> bool:
    return trial.trajectory.session is not None


def _numbered_file(folder: Path, trial: TrialRecord) -> Path:
    return recording_file(folder, f"{trial.task}.{trial.trial}")


def _recording_path(folder: Path, trial: TrialRecord, taken: Collection[Path]) -> Path:
    """Return the file for a trial's recording. `taken` holds the numbered files of all trials."""
    numbered, plain = _numbered_file(folder, trial), recording_file(folder, trial.task)
    # The file without a number also replays trials that have no recording of their own.
    if (
        trial.trial == 1
        and not numbered.is_file()
        and plain not in taken
        and _is_free(folder, trial.task, trial.task)
    ):
        return plain
    if not _is_free(folder, f"{trial.task}.{trial.trial}", trial.task):
        raise RecordingError(
            f"{numbered} already holds the recording of another task. Record trial {trial.trial} of '{trial.task}' "
            "in another folder"
        )
    return numbered


def _is_free(folder: Path, stem: str, task: str) -> bool:
    """Return whether the file may be written: it does not hold another task's recording."""
    path = recording_file(folder, stem)
    try:
        return not path.is_file() or not is_of_another(stem, task, read_recording(path))
    except ExecutorError:
        return True  # The file is not a recording.


def _delete_surplus(folder: Path, task: str, trials: int) -> None:
    number = trials + 1
    while (path := recording_file(folder, f"{task}.{number}")).is_file():
        if not _is_recording_of(path, task):
            return
        path.unlink()
        number += 1


def _is_recording_of(path: Path, task: str) -> bool:
    try:
        return read_recording(path).task == task
    except ExecutorError:
        return False


def _trigger_prompts(record: RunRecord, skill: str) -> dict[str, object]:
    prompts = {
        it.prompt: {"skills": [skill] if it.did_trigger else []} for it in record.triggers if not it.error
    }
    return {"version": 1, "prompts": prompts}
