"""Recordings that must fail: files in `recordings/counter/`, named like those of good trials.

Each audit grades them like mutants. One that passes is a finding.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import is_of_another, read_recording, recording_file
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.lib.paths import real_path
from waza_engine.lib.queries.disk import Stamp, stamp
from waza_engine.model.trajectory import SkillInvocation, Trajectory
from waza_engine.project.store_location import counter_folder, recording_stems

_MOST = 50
"""Counter examples of one task."""
_MAX_BYTES = 16_000_000
"""For one of them, so that the files of a task do not fill the memory."""
_MAX_TASK_BYTES = 64_000_000


class CounterExampleError(Exception):
    """A counter example cannot be written; the message says which one and why."""


class CounterExample(NamedTuple):
    """A file with a recording that must fail. Without a trajectory, `problem` says why it cannot be read."""

    path: Path
    trajectory: Trajectory | None
    problem: str = ""


def counter_examples(eval_path: Path, task: str) -> Iterator[CounterExample]:
    """Yield the counter examples of a task. A file that cannot be read does not hide the others."""
    folder = counter_folder(eval_path)
    if not folder.is_dir():
        return
    read = 0
    for stem in _stems(task):
        path = folder / f"{stem}.json"
        if not os.path.lexists(path):
            continue
        try:
            read += min(_checked(folder, stem).stat().st_size, _MAX_BYTES + 1)
            if read > _MAX_TASK_BYTES:
                yield CounterExample(path, None, f"{path} is too large together with those before it")
                return
            recorded = read_recording(path, _MAX_BYTES)
        except ExecutorError as error:
            yield CounterExample(path, None, str(error))
        except OSError as error:
            yield CounterExample(path, None, f"{path} cannot be read: {error.strerror}")
        else:
            if not is_of_another(stem, task, recorded):
                yield CounterExample(path, recorded)


def counter_stamps(eval_path: Path, task: str) -> tuple[tuple[str, Stamp], ...]:
    """Return a value that changes whenever a counter example of the task does."""
    folder = counter_folder(eval_path)
    if not folder.is_dir():
        return ()
    stamps = ((stem, stamp(folder / f"{stem}.json")) for stem in _stems(task))
    return tuple(it for it in stamps if it[1] is not None)


def keep_counter_example(eval_path: Path, task: str, trajectory: Trajectory) -> Path:
    """Write a counter example of a task into a new file, and return its path. If one is equal, return that file.

    The file holds no paths of this machine outside of the workspace: the folder of artifacts is dropped, and so are
    those of skills that are not below the eval.

    Raises:
        CounterExampleError: there are too many already, or the file cannot be written or read again.

    """
    kept = _portable(trajectory, eval_path.parent).model_copy(update={"task": task})
    known = next((it.path for it in counter_examples(eval_path, task) if it.trajectory == kept), None)
    if known is not None:
        return known
    folder, path = counter_folder(eval_path), None
    try:
        text = kept.model_dump_json(indent=2) + "\n"
        if len(text.encode()) > _MAX_BYTES:
            raise CounterExampleError(f"The trial is larger than {_MAX_BYTES // 1_000_000} MB")
        path = _reserved(folder, task)
        write_text_atomic(path, [text])
        read_recording(path, _MAX_BYTES)
    except OSError as error:
        problem = f"{path or folder} cannot be written: {error.strerror}"
    except (ExecutorError, ValueError) as error:
        # ValueError: the data is nested too deeply, or is not Unicode.
        problem = str(error)
    else:
        return path
    if path is not None:
        with suppress(OSError):
            path.unlink()
    raise CounterExampleError(problem)


def _reserved(folder: Path, task: str) -> Path:
    """Create an empty file that did not exist, so that of two writers none replaces the other's.

    Raises:
        CounterExampleError: there are too many already.
        ExecutorError: a link or the task's id leads out of the folder.
        OSError: it cannot be created.

    """
    for stem in _stems(task):
        path = _checked(folder, stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            return path
    raise CounterExampleError(f"{folder} has {_MOST} counter examples of '{task}' already. Remove some")


def _checked(folder: Path, stem: str) -> Path:
    """Return the file of a stem.

    Raises:
        ExecutorError: a link or the task's id leads out of the folder, or the folder out of the eval's.

    """
    if not real_path(folder).is_relative_to(real_path(folder.parent.parent)):
        raise ExecutorError(f"{folder} leads out of the eval's folder")
    try:
        return recording_file(folder, stem)
    except ExecutorError as error:
        path = folder / f"{stem}.json"
        if not _is_link(path):
            raise
        raise ExecutorError(f"{path} is a link that leads out of {folder}") from error


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except ValueError:  # The name has NUL.
        return False


def _stems(task: str) -> Iterator[str]:
    return islice(recording_stems(task), _MOST)


def _portable(trajectory: Trajectory, folder: Path) -> Trajectory:
    skills = [it.model_copy(update={"path": _relative(it, folder)}) for it in trajectory.skills]
    return trajectory.model_copy(update={"skills": skills, "artifact_dir": ""})


def _relative(skill: SkillInvocation, folder: Path) -> str:
    path = Path(skill.path)
    if not path.is_absolute():
        return skill.path
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""
