"""A stored run as the record that reports are made of, people's reviews included, also of a run that was killed.

The trials of a task, read from the store when somebody looks at them: a long run needs no memory for its trials.

Stored runs as they stand after people's reviews, for lists of them: only runs that were reviewed are read whole.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, overload

from waza_engine.model.records import RunRecord, TrialRecord, TrialVerdict
from waza_engine.runs.reviews import apply_reviews, read_reviews
from waza_engine.runs.store.rows import StoredRun
from waza_engine.runs.store.store import RunStore
from waza_engine.runs.totals import Ending, run_record, seeded_random, task_record


def _unchanged(trial: TrialRecord) -> TrialRecord:
    return trial


@dataclass(frozen=True, slots=True, eq=False)
class StoredTrials(Sequence[TrialRecord]):
    """The trials `numbers` of a task, in order. Those in `held` could not be stored and are kept here.

    Looking at one raises `StoreError` when the store cannot be read any more. `seen_as` is what becomes of a stored trial
    when it is looked at.
    """

    store: RunStore
    run_id: str
    task_index: int
    numbers: tuple[int, ...]
    held: Mapping[int, TrialRecord] = field(default_factory=dict)
    seen_as: Callable[[TrialRecord], TrialRecord] = _unchanged

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
        return (self._trial(it) for it in self.numbers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # a list of values that are none

    def _trial(self, number: int) -> TrialRecord:
        if held := self.held.get(number):
            return held
        return self.seen_as(self.store.trial(self.run_id, self.task_index, number))


_UNFINISHED = "The run was not finished; go on with it: waza-lsp run EVAL --resume"


def stored_record(store: RunStore, run: StoredRun) -> RunRecord:
    """The record of a run in the store.

    Raises:
        StoreError: the store cannot be read.

    """
    said = read_reviews(store.directory)

    def seen_as(trial: TrialRecord) -> TrialRecord:
        return apply_reviews(run.run_id, trial, said)

    numbers: dict[int, list[int]] = {}
    for index, number in store.finished(run.run_id):
        numbers.setdefault(index, []).append(number)
    tasks = []
    for index, task in enumerate(run.frame.tasks):
        if index in numbers or index in run.end.task_errors:
            trials = StoredTrials(store, run.run_id, index, tuple(numbers.get(index, ())), seen_as=seen_as)
            error = run.end.task_errors.get(index, "")
            tasks.append(task_record(task, trials, error, seeded_random(run.run_id, index)))
    second = store.baseline_of(run.run_id)
    return run_record(
        run.frame,
        run_id=run.run_id,
        started_at=run.started_at,
        duration_ms=run.end.duration_ms,
        tasks=tasks,
        triggers=run.end.triggers,
        ending=_ending(run),
        baseline=stored_record(store, second) if second else None,
    )


def _ending(run: StoredRun) -> Ending:
    if run.status is None:
        return Ending("cancelled", _UNFINISHED)
    status = run.status if run.status in {"error", "cancelled"} else ""
    return Ending(cast('Literal["", "error", "cancelled"]', status), run.end.error)


def reviewed_runs(store: RunStore, runs: Sequence[StoredRun]) -> list[StoredRun]:
    """The runs with the status and the score that the reviews give them.

    Raises:
        StoreError: the store cannot be read.

    """
    reviewed = {it.run for it in read_reviews(store.directory)}
    return [_with_review_verdict(store, it) if it.run_id in reviewed else it for it in runs]


def reviewed_verdicts(store: RunStore, run_id: str) -> list[TrialVerdict]:
    """As `RunStore.verdicts`, with the reviews.

    Raises:
        StoreError: the store cannot be read.

    """
    said = [it for it in read_reviews(store.directory) if it.run == run_id]
    if not said:
        return store.verdicts(run_id)
    trials = (apply_reviews(run_id, it.record, said) for it in store.trials(run_id))
    return [TrialVerdict(it.task, it.trial, it.status, it.score) for it in trials]


def _with_review_verdict(store: RunStore, run: StoredRun) -> StoredRun:
    record = stored_record(store, run)
    status = record.status if run.status in {"passed", "failed"} else run.status
    return replace(run, status=status, score=record.totals.aggregate_score)
