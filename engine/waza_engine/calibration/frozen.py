"""A frozen set: recordings with the verdicts of people and judges, kept with the eval in `recordings/judged/`.

It tests a changed rubric or judge model, also in CI. Recordings are named like those of good trials; `verdicts.jsonl`
beside them holds what was said of them. So the set belongs to the eval, and not to a run store that is deleted one day.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from waza_engine.calibration.judgement import Judgement, add_judgements, read_judgements
from waza_engine.calibration.subjects import Subject, judged_graders
from waza_engine.executors.base import ExecutorError
from waza_engine.executors.replay import ReplayExecutor, read_recording, recording_file
from waza_engine.lib.files.safe_write import require_inside, write_text_atomic
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.store_location import RECORDINGS_FOLDER, recording_stems
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.find import Recording

_FOLDER = "judged"
_VERDICTS = "verdicts.jsonl"
_MOST_OF_TASK = 200


class FrozenSetError(Exception):
    """The frozen set cannot be read or written; the message says why."""


@dataclass(frozen=True, slots=True)
class FrozenSet:
    """The frozen recordings that the eval's graders judge, and all verdicts. `problems` are files that cannot be read."""

    subjects: tuple[Subject, ...]
    judgements: tuple[Judgement, ...]
    problems: tuple[str, ...] = ()


def frozen_folder(eval_path: Path) -> Path:
    """Return the folder with the frozen set of an eval."""
    return eval_path.parent / RECORDINGS_FOLDER / _FOLDER


def read_frozen(plan: Plan, grader: str = "") -> FrozenSet:
    """Return the frozen set of an eval: of all graders that ask a judge, or of the one with this name.

    Raises:
        FrozenSetError: its verdicts cannot be read.

    """
    folder = frozen_folder(plan.suite.path)
    judgements = _read_verdicts(folder)
    judged = {(it.recording, it.grader) for it in judgements if it.person}
    subjects: list[Subject] = []
    problems: list[str] = []
    for task in plan.tasks:
        graders = [it for it in judged_graders(plan, task) if grader in {"", it.entry.name}]
        for path in _files(folder, task.id) if graders else ():
            wanted = [it for it in graders if (path.name, it.entry.name) in judged]
            if not wanted:
                continue
            try:
                trajectory = read_recording(path)
            except ExecutorError as error:
                problems.append(str(error))
                continue
            recording = Recording(task.id, 1, trajectory, ReplayExecutor.name)
            subjects.extend(Subject(path.name, task, recording, it) for it in wanted)
    return FrozenSet(tuple(subjects), tuple(judgements), tuple(problems))


def freeze(eval_path: Path, subject: Subject, verdicts: Sequence[Judgement]) -> bool:
    """Add a recorded trial and what was said of it to the frozen set. Return whether anything was new.

    Raises:
        FrozenSetError: a file cannot be read or written.

    """
    folder = frozen_folder(eval_path)
    known = _read_verdicts(folder)
    path = _file_of(folder, subject.task.id, subject.recording.trajectory)
    kept = [it.model_copy(update={"recording": path.name}) for it in verdicts]
    new = [it for it in kept if it not in known]
    try:
        for it in (path, folder / _VERDICTS):
            require_inside(it, eval_path.parent)
        if not path.exists():
            named = subject.recording.trajectory.model_copy(update={"task": subject.task.id})
            write_text_atomic(path, [named.model_dump_json(indent=2), "\n"])
        if new:
            add_judgements(folder / _VERDICTS, new)
    except OSError as error:
        raise FrozenSetError(f"{folder} cannot be written: {error.strerror or error}") from error
    return bool(new)


def keep_judgements(eval_path: Path, judgements: Sequence[Judgement]) -> None:
    """Add new verdicts of a judge to the frozen set.

    Raises:
        FrozenSetError: the file cannot be written.

    """
    folder = frozen_folder(eval_path)
    try:
        require_inside(folder / _VERDICTS, eval_path.parent)
        add_judgements(folder / _VERDICTS, judgements)
    except OSError as error:
        raise FrozenSetError(f"{folder / _VERDICTS} cannot be written: {error.strerror or error}") from error


def _read_verdicts(folder: Path) -> list[Judgement]:
    try:
        return read_judgements(folder / _VERDICTS)
    except (OSError, ValueError) as error:
        raise FrozenSetError(f"{folder / _VERDICTS} cannot be read: {error}") from error


def _file_of(folder: Path, task: str, trajectory: Trajectory) -> Path:
    """Return the file that holds a recording, or a new one for it."""
    named = trajectory.model_copy(update={"task": task})
    for path in _names(folder, task):
        if not path.exists():
            return path
        try:
            if read_recording(path) == named:
                return path
        except ExecutorError:
            continue
    raise FrozenSetError(f"{folder} has {_MOST_OF_TASK} recordings of '{task}' already. Remove some")


def _files(folder: Path, task: str) -> Iterator[Path]:
    for path in _names(folder, task):
        if path.is_file():
            yield path


def _names(folder: Path, task: str) -> Iterator[Path]:
    try:
        yield from (recording_file(folder, it) for it in islice(recording_stems(task), _MOST_OF_TASK))
    except ExecutorError as error:
        raise FrozenSetError(str(error)) from error
