"""A stored run as the record that reports are made of, people's reviews included, also of a run that was killed."""

from typing import Literal, cast

from waza_engine.reviews import reviews
from waza_engine.runs.records import RunRecord, TrialRecord
from waza_engine.runs.reviewed import review_file, with_reviews
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.runs.totals import Ending, run_record, seeded, task_record

_UNFINISHED = "The run was not finished; go on with it: waza-lsp run EVAL --resume"


def stored_record(store: RunStore, run: StoredRun) -> RunRecord:
    """The record of a run in the store.

    Raises:
        StoreError: the store cannot be read.

    """
    trials: dict[int, list[TrialRecord]] = {}
    said = reviews(review_file(store.directory))
    for it in store.trials(run.run_id):
        trials.setdefault(it.record.task_index, []).append(with_reviews(run.run_id, it.record, said))
    tasks = [
        task_record(
            task, trials.get(index, []), run.end.task_errors.get(index, ""), seeded(run.run_id, index)
        )
        for index, task in enumerate(run.frame.tasks)
        if index in trials or index in run.end.task_errors
    ]
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
