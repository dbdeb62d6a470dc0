"""Read stored runs as records for reports, with human reviews applied; killed runs too.

Trials are read from the store only when used, so a long run needs no memory for them. In lists of runs, only runs with
reviews are read completely.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal, cast, overload

from waza_engine.model.results.records import RunRecord, TaskRecord, TrialRecord, TrialVerdict
from waza_engine.model.results.scores import Status, task_status
from waza_engine.runs.past.changes import since_green
from waza_engine.runs.reviews import PendingVerdict, apply_reviews, pending_verdicts, read_reviews
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.totals import Ending, RunOutcome, run_record, seeded_random, task_record


def _unchanged(trial: TrialRecord) -> TrialRecord:
    return trial


@dataclass(frozen=True, slots=True, eq=False)
class StoredTrials(Sequence[TrialRecord]):
    """The trials `numbers` of a task, in order. `unstored` holds those that could not be stored.

    Reading a trial raises `StoreError` if the store cannot be read any more. `adapt` is applied to each stored trial.
    """

    store: RunStore
    run_id: str
    task_index: int
    numbers: tuple[int, ...]
    unstored: Mapping[int, TrialRecord] = field(default_factory=dict)
    adapt: Callable[[TrialRecord], TrialRecord] = _unchanged

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> TrialRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TrialRecord]: ...
    def __getitem__(self, index: int | slice) -> TrialRecord | Sequence[TrialRecord]:
        if isinstance(index, slice):
            return tuple(self._trial(it) for it in self.numbers[index])
        return self._trial(self.numbers[index])

    def __iter__(self) -> Iterator[TrialRecord]:
        stored = self.store.trials_of_task(self.run_id, self.task_index)
        known = next(stored, None)
        for number in self.numbers:
            if unstored := self.unstored.get(number):
                yield unstored
                continue
            while known is not None and known.trial < number:
                known = next(stored, None)
            is_found = known is not None and known.trial == number
            yield self.adapt(known) if known is not None and is_found else self._trial(number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # records are not hashable

    def _trial(self, number: int) -> TrialRecord:
        if unstored := self.unstored.get(number):
            return unstored
        return self.adapt(self.store.trial(self.run_id, self.task_index, number))


_UNFINISHED = "The run did not finish. Resume it with: waza-lsp run EVAL --resume"


def stored_record(store: RunStore, run: StoredRun) -> RunRecord:
    """Return the record of a stored run.

    Raises:
        StoreError: the store cannot be read.

    """
    return with_changes(store, run, _record(store, run))


def with_changes(store: RunStore, run: StoredRun, record: RunRecord) -> RunRecord:
    """Return the record with what has changed for each task that did not pass, since the last run that it passed.

    Tasks in quarantine get the number of runs that have passed them in a row.

    Raises:
        StoreError: the store cannot be read.

    """
    red = {it.task for it in record.tasks if it.status in {"failed", "error"}}
    green = _last_green(store, run, red) if red else {}
    if not green and not any(it.quarantine for it in record.tasks):
        return record
    frames = {(it.id, it.name): it for it in reversed(run.frame.tasks)}

    def changed(task: TaskRecord) -> TaskRecord:
        if task.quarantine and task.status == "passed":
            return replace(task, passed_in_a_row=1 + store.passed_in_a_row(run, task.task))
        last, frame = green.get(task.task), frames.get((task.task, task.name))
        if last is None or frame is None or task.status not in {"failed", "error"}:
            return task
        found = since_green(last.run_id, last.started_at, last.frame, run.frame, frame)
        return replace(task, since_green=found)

    return replace(record, tasks=tuple(changed(it) for it in record.tasks))


def _last_green(store: RunStore, run: StoredRun, tasks: Set[str]) -> dict[str, StoredRun]:
    """Return the last run that passed each task, after reviews."""
    found = store.last_green(run, tasks)
    reviewed = {it.run for it in read_reviews(store.directory) if it.task in tasks} - {run.run_id}
    if not reviewed:
        return found
    # A review can only decide what was open, so a stored pass stays one.
    earlier = [it for it in store.runs(run.eval_path, before=run.run_id) if _arm(it) == _arm(run)]
    for older in reversed(earlier):
        if older.run_id in reviewed:
            for task, passed in _passed_tasks(reviewed_verdicts(store, older.run_id)).items():
                known = found.get(task)
                if (
                    passed
                    and task in tasks
                    and (known is None or earlier.index(older) < earlier.index(known))
                ):
                    found[task] = older
    return found


def _arm(run: StoredRun) -> tuple[str, str] | None:
    return (run.frame.arm.variant, run.frame.arm.eval_path) if run.frame.arm is not None else None


def _passed_tasks(verdicts: Iterable[TrialVerdict]) -> dict[str, bool]:
    statuses: dict[str, list[Status]] = {}
    for it in verdicts:
        statuses.setdefault(it.task, []).append(it.status)
    return {task: task_status(its) == "passed" for task, its in statuses.items()}


def _record(store: RunStore, run: StoredRun) -> RunRecord:
    reviews = read_reviews(store.directory)

    def review(trial: TrialRecord) -> TrialRecord:
        return apply_reviews(run.run_id, trial, reviews)

    numbers: dict[int, list[int]] = {}
    for index, number in store.finished(run.run_id):
        numbers.setdefault(index, []).append(number)
    tasks = []
    for index, task in enumerate(run.frame.tasks):
        if index in numbers or index in run.end.task_errors:
            trials = StoredTrials(store, run.run_id, index, tuple(numbers.get(index, ())), adapt=review)
            error = run.end.task_errors.get(index, "")
            tasks.append(task_record(task, trials, error, seeded_random(run.run_id, index)))
    second = store.baseline_of(run.run_id)
    return run_record(
        run.frame,
        RunOutcome(
            run_id=run.run_id,
            started_at=run.started_at,
            duration_ms=run.end.duration_ms,
            tasks=tasks,
            triggers=run.end.triggers,
            ending=_ending(run),
            baseline=_record(store, second) if second else None,
            decisions=run.end.decisions,
        ),
    )


def _ending(run: StoredRun) -> Ending:
    if run.status is None:
        return Ending("cancelled", _UNFINISHED)
    if run.status == "error" and not run.end.error:
        return Ending()  # Trials could not be judged: the record says so itself.
    status = run.status if run.status in {"error", "cancelled"} else ""
    return Ending(cast('Literal["", "error", "cancelled"]', status), run.end.error)


def reviewed_runs(store: RunStore, runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Return the runs with the status and score after reviews.

    Raises:
        StoreError: the store cannot be read.

    """
    reviewed = {it.run for it in read_reviews(store.directory)}
    return [_with_review_verdict(store, it) if it.run_id in reviewed else it for it in runs]


def reviewed_verdicts(store: RunStore, run_id: str) -> list[TrialVerdict]:
    """Return the verdicts of a run's trials (as `RunStore.verdicts`) after reviews.

    Raises:
        StoreError: the store cannot be read.

    """
    reviews = [it for it in read_reviews(store.directory) if it.run == run_id]
    if not reviews:
        return store.verdicts(run_id)
    trials = (apply_reviews(run_id, it.record, reviews) for it in store.trials(run_id))
    return [TrialVerdict(it.task, it.trial, it.status, it.score, it.infrastructure) for it in trials]


def pending_reviews(store: RunStore, run_id: str) -> list[PendingVerdict]:
    """Return the verdicts of a run that still wait for a person.

    Raises:
        StoreError: the store cannot be read.

    """
    reviews = read_reviews(store.directory)
    return pending_verdicts([apply_reviews(run_id, it.record, reviews) for it in store.trials(run_id)])


def _with_review_verdict(store: RunStore, run: StoredRun) -> StoredRun:
    record = stored_record(store, run)
    status = record.status if run.status in {"passed", "failed"} or record.infrastructure else run.status
    return replace(run, status=status, score=record.totals.aggregate_score)
