"""Recordings that must fail: files in `recordings/counter/`, named like those of good trials.

Each audit grades them like mutants. One that passes is a finding.
"""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import is_of_another, read_recording, recording_file
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.lib.paths import real_path
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.store_location import RECORDINGS_FOLDER

_FOLDER = "counter"
_MOST = 50


class CounterExampleError(Exception):
    """A counter example cannot be read or written; the message says which one and why."""


def counter_folder(eval_path: Path) -> Path:
    """Return the folder with the counter examples of an eval."""
    return eval_path.parent / RECORDINGS_FOLDER / _FOLDER


def counter_examples(eval_path: Path, task: str) -> Iterator[tuple[Path, Trajectory]]:
    """Yield the counter examples of a task with their files.

    Raises:
        CounterExampleError: one of them cannot be read.

    """
    folder = counter_folder(eval_path)
    if not folder.is_dir():
        return
    for path in _files(folder, task):
        try:
            recorded = read_recording(path) if path.is_file() else None
        except ExecutorError as error:
            raise CounterExampleError(str(error)) from error
        if recorded is not None and not is_of_another(path.name.removesuffix(".json"), task, recorded):
            yield path, recorded


def keep_counter_example(eval_path: Path, task: str, trajectory: Trajectory) -> Path:
    """Write a counter example of a task into a new file, and return its path.

    Raises:
        CounterExampleError: there are too many already, or the file cannot be written.

    """
    folder = counter_folder(eval_path)
    path = next((it for it in _files(folder, task) if not it.exists()), None)
    if path is None:
        raise CounterExampleError(f"{folder} has {_MOST} counter examples of '{task}' already. Remove some")
    kept = trajectory.model_copy(update={"task": task})
    try:
        write_text_atomic(path, [kept.model_dump_json(indent=2), "\n"])
    except OSError as error:
        raise CounterExampleError(f"{path} cannot be written: {error.strerror}") from error
    return path


def _files(folder: Path, task: str) -> Iterator[Path]:
    """Yield the names that a counter example can have: `TASK.json`, `TASK.2.json`, ..."""
    if not real_path(folder).is_relative_to(real_path(folder.parent.parent)):
        raise CounterExampleError(f"{folder} leads out of the eval's folder")
    try:
        yield recording_file(folder, task)
        for number in count(2):
            if number > _MOST:
                return
            yield recording_file(folder, f"{task}.{number}")
    except ExecutorError as error:
        raise CounterExampleError(str(error)) from error
