"""Find the recordings of a task: in the newest stored run that performed it, else in `recordings/` beside the eval."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from waza_engine.executors.base import MOCK, ExecutorError
from waza_engine.executors.replay import ReplayExecutor, is_of_another, read_recording, recording_file
from waza_engine.model.results.records import CheckpointOutcome
from waza_engine.model.trajectory import Trajectory
from waza_engine.project.store_location import FILE_NAME, RECORDINGS_FOLDER
from waza_engine.runs.store.rows import StoredTrial
from waza_engine.runs.store.store import RunStore

_MOST_TRIALS = 20
_MOST_EARLIER = 200


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded trial (from 1) of a task (its id), performed by `executor`. Recordings in files have no `run_id`."""

    task: str
    trial: int
    trajectory: Trajectory
    executor: str
    run_id: str = ""
    at: float = 0.0
    """When it began, in seconds since 1970; 0 if unknown."""
    checkpoints: tuple[CheckpointOutcome, ...] = ()
    """Outcomes of the checkpoints between its turns. Recordings in files have none."""


@dataclass(frozen=True, slots=True)
class UnreadableRecording:
    """A file that should hold a recording and cannot be read. The message names it."""

    path: Path
    message: str

    @property
    def shown(self) -> str:
        """The message with the file's path from the eval's folder."""
        before, folder, _ = str(self.path).rpartition(f"{os.sep}{RECORDINGS_FOLDER}{os.sep}")
        return self.message.replace(before + os.sep, "") if folder else self.message


def recordings_of(  # each has a meaning of its own
    eval_path: Path,
    task: str,
    store_dir: Path,
    trials: int = 1,
    opened: RunStore | None = None,
    unreadable: list[UnreadableRecording] | None = None,
) -> list[Recording]:
    """Return the recorded trials of the task with this id: of the newest run, else the first `trials` files.

    Pass the store `opened` if it is: opening it takes longer than reading a trial. Files that cannot be read are added
    to `unreadable`.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    with _reading(store_dir, opened) as store:
        stored = _newest_in(store, eval_path, task) if store is not None else []
    folder = eval_path.parent / RECORDINGS_FOLDER
    return stored or list(_recorded_in_files(folder, task, trials, unreadable))


def recordings_to_audit(
    eval_path: Path,
    task: str,
    store_dir: Path,
    most: int,
    opened: RunStore | None = None,
    unreadable: list[UnreadableRecording] | None = None,
) -> list[Recording]:
    """Return the recorded trials of a task that may pass: of the newest run, of earlier runs, and in files.

    There are at most `most` of each. Of earlier runs, trials that passed come first, then newer ones. Trials of the mock
    come last of all. Files that cannot be read are added to `unreadable` if no run is stored.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    with _reading(store_dir, opened) as store:
        found = recordings_of(eval_path, task, store_dir, most, store, unreadable)[:most]
        if store is None or not found or not found[0].run_id:
            return found
        earlier = store.trials_of_other_runs(eval_path, task, most, found[0].run_id)
        found += _recordings(store, task, earlier)
    folder = eval_path.parent / RECORDINGS_FOLDER
    # Most projects have no such folder, and looking for each file takes longer.
    files = _recorded_in_files(folder, task, most) if folder.is_dir() else ()
    # The mock does no work: its trials must not stand for those of an agent.
    return sorted([*found, *files], key=lambda it: it.executor == MOCK)


def recording_names(folder: Path) -> dict[str, list[str]]:
    """Return the names of the files that may hold recordings, by task. The number of a trial may be a part of an id."""
    try:
        names = sorted(it.name for it in os.scandir(folder))
    except OSError:
        return {}
    found: dict[str, list[str]] = {}
    for name in names:
        task, _, suffix = name.rpartition(".")
        if suffix == "json":
            for it in dict.fromkeys((task, task.rpartition(".")[0] or task)):
                found.setdefault(it, []).append(name)
    return found


def newest_first(eval_path: Path, tasks: Sequence[str], opened: RunStore) -> list[str]:
    """Return the tasks ordered by their last stored trial, newest first; those without one come last.

    Raises:
        StoreError: the store cannot be read.

    """
    order = {it: place for place, it in enumerate(opened.tasks_newest_first(eval_path))}
    return sorted(tasks, key=lambda it: order.get(it, len(order)))


def all_recordings_of(
    eval_path: Path, task: str, store_dir: Path, trials: int = 1, most: int = 50
) -> list[Recording]:
    """Return the recorded trials of a task in all runs, newest first, then those in files.

    Raises:
        StoreError: the store exists but cannot be read.

    """
    with _reading(store_dir) as store:
        found = [] if store is None else _recordings(store, task, store.task_trials(eval_path, task, most))
    return [*found, *_recorded_in_files(eval_path.parent / RECORDINGS_FOLDER, task, trials)]


def _reading(store_dir: Path, opened: RunStore | None = None) -> AbstractContextManager[RunStore | None]:
    """Return the store to read, if there is one. A store that is `opened` stays open."""
    if opened is not None or not (store_dir / FILE_NAME).is_file():
        return nullcontext(opened)
    return RunStore(store_dir, for_reading=True, briefly=True)


def _newest_in(store: RunStore, eval_path: Path, task: str) -> list[Recording]:
    latest = store.latest_trials(eval_path, task)
    trials = _performed_trials(latest)
    if latest and not trials:
        # The newest run could not perform the task. Use the recordings of an earlier run.
        earlier = _performed_trials(store.task_trials(eval_path, task, _MOST_EARLIER))
        trials = [it for it in earlier if it.run_id == earlier[0].run_id]
    if not trials:
        return []
    executor = store.executor_of(trials[0].run_id)
    return [
        Recording(
            task,
            it.record.trial,
            it.record.trajectory,
            executor,
            it.run_id,
            checkpoints=it.record.checkpoints,
        )
        for it in trials[:_MOST_TRIALS]
    ]


def _performed_trials(trials: Sequence[StoredTrial]) -> list[StoredTrial]:
    return [it for it in trials if it.record.trajectory.session is not None]


def _recordings(store: RunStore, task: str, trials: Sequence[StoredTrial]) -> list[Recording]:
    executors: dict[str, str] = {}
    found: list[Recording] = []
    for it in _performed_trials(trials):
        if it.run_id not in executors:
            executors[it.run_id] = store.executor_of(it.run_id)
        record, executor = it.record, executors[it.run_id]
        made = Recording(
            task, record.trial, record.trajectory, executor, it.run_id, record.started_at, record.checkpoints
        )
        found.append(made)
    return found


def _recorded_in_files(
    folder: Path, task: str, trials: int, unreadable: list[UnreadableRecording] | None = None
) -> Iterator[Recording]:
    for trial, path in _trial_files(folder, task):
        if trial > trials:
            return
        try:
            recorded = read_recording(path)
        except ExecutorError as error:
            if unreadable is not None:
                unreadable.append(UnreadableRecording(path, str(error)))
            continue
        stem = path.relative_to(folder).as_posix().removesuffix(".json")
        if not is_of_another(stem, task, recorded):
            yield Recording(task, trial, recorded, ReplayExecutor.name)


def _trial_files(folder: Path, task: str) -> Iterator[tuple[int, Path]]:
    """Yield trial numbers with their files. The file without a number is trial 1 if that has no file of its own."""
    if not folder.is_dir():
        return  # One question for all files: most evals have no recordings.
    names = {it: f"{task}.{it}" for it in range(1, _MOST_TRIALS + 1)}
    try:
        # Most do not exist, which is a short question; whether a path leads out of the folder is a long one.
        numbered = {
            it: recording_file(folder, name)
            for it, name in names.items()
            if (folder / f"{name}.json").is_file()
        }
        plain = recording_file(folder, task)
    except ExecutorError:
        return
    if plain.is_file() and 1 not in numbered:
        yield 1, plain
    yield from numbered.items()
