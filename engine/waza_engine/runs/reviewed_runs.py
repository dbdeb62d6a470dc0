"""Stored runs as they stand after people's reviews, for lists of them: only runs that were reviewed are read whole."""

from collections.abc import Sequence
from dataclasses import replace

from waza_engine.runs.records import TrialVerdict
from waza_engine.runs.reviewed import read_reviews, with_reviews
from waza_engine.runs.store import RunStore
from waza_engine.runs.store_rows import StoredRun
from waza_engine.runs.stored_record import stored_record


def reviewed_runs(store: RunStore, runs: Sequence[StoredRun]) -> list[StoredRun]:
    """The runs with the status and the score that the reviews give them.

    Raises:
        StoreError: the store cannot be read.

    """
    reviewed = {it.run for it in read_reviews(store.directory)}
    return [_reviewed(store, it) if it.run_id in reviewed else it for it in runs]


def reviewed_verdicts(store: RunStore, run_id: str) -> list[TrialVerdict]:
    """As `RunStore.verdicts`, with the reviews.

    Raises:
        StoreError: the store cannot be read.

    """
    said = [it for it in read_reviews(store.directory) if it.run == run_id]
    if not said:
        return store.verdicts(run_id)
    trials = (with_reviews(run_id, it.record, said) for it in store.trials(run_id))
    return [TrialVerdict(it.task, it.trial, it.status, it.score) for it in trials]


def _reviewed(store: RunStore, run: StoredRun) -> StoredRun:
    record = stored_record(store, run)
    status = record.status if run.status in {"passed", "failed"} else run.status
    return replace(run, status=status, score=record.totals.aggregate_score)
