"""A stored run as the record that reports are made of, people's reviews included, also of a run that was killed."""

from typing import Literal, cast

from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.runs.reviewed import read_reviews, with_reviews
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.runs.stored_trials import StoredTrials
from waza_engine.runs.totals import Ending, run_record, seeded, task_record

_UNFINISHED = "The run was not finished; go on with it: waza-lsp run EVAL --resume"


def stored_record(store: RunStore, run: StoredRun) -> RunRecord:
    """The record of a run in the store.

    Raises:
        StoreError: the store cannot be read.

    """
    said = read_reviews(store.directory)

    def seen_as(trial: TrialRecord) -> TrialRecord:
        return with_reviews(run.run_id, trial, said)

    numbers: dict[int, list[int]] = {}
    for index, number in store.finished(run.run_id):
        numbers.setdefault(index, []).append(number)
    tasks = []
    for index, task in enumerate(run.frame.tasks):
        if index in numbers or index in run.end.task_errors:
            trials = StoredTrials(store, run.run_id, index, tuple(numbers.get(index, ())), seen_as=seen_as)
            error = run.end.task_errors.get(index, "")
            tasks.append(task_record(task, trials, error, seeded(run.run_id, index)))
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
