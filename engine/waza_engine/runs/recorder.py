"""Keeping a run's trajectories as recordings, in the files that `--executor replay` reads."""

import json
from pathlib import Path

from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import recording_file
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.whole_files import write_whole


class RecordingError(Exception):
    """A recording cannot be written; the text says which and why."""


def write_recordings(record: RunRecord, folder: Path, trigger_skill: str = "") -> int:
    """Write every trial that was performed into `folder`; how many there were.

    `trigger_skill` is the skill that the trigger tests are about.

    Raises:
        RecordingError: a file cannot be written.

    """
    trials = [trial for task in record.tasks for trial in task.trials if _was_performed(trial)]
    try:
        for it in trials:
            path = _file(folder, it)
            write_whole(path, [it.trajectory.model_dump_json(indent=2), "\n"])
        if record.triggers:
            text = json.dumps(_triggers(record, trigger_skill), indent=2, ensure_ascii=False)
            write_whole(folder / "triggers.json", [text, "\n"])
    except OSError as error:
        raise RecordingError(f"The recordings cannot be written to {folder}: {error.strerror}") from error
    except ExecutorError as error:
        raise RecordingError(str(error)) from error
    return len(trials)


def _was_performed(trial: TrialRecord) -> bool:
    return trial.trajectory.session is not None


def _file(folder: Path, trial: TrialRecord) -> Path:
    numbered = recording_file(folder, f"{trial.task}.{trial.trial}")
    # The first trial also stands for those that have no recording of their own.
    return recording_file(folder, trial.task) if trial.trial == 1 and not numbered.is_file() else numbered


def _triggers(record: RunRecord, skill: str) -> dict[str, object]:
    prompts = {
        it.prompt: {"skills": [skill] if it.did_trigger else []} for it in record.triggers if not it.error
    }
    return {"version": 1, "prompts": prompts}
