"""The run store: every run with its trials and verdicts in one SQLite file, `.waza-lsp/runs.sqlite3`.

A trial is committed, with its whole trajectory, in one transaction the moment it ends, so a run that is killed keeps
what it finished. The trajectory is a zlib-packed JSON in the row and not a file beside it: a row cannot be half
there, orphaned or forgotten when it is deleted. WAL and a busy timeout let several processes write at once. The
folder can be deleted at any time; a new one is made by the next run.
"""

import contextlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from waza_engine.findings import Pointer
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.runs.store_schema import migrate
from waza_engine.trajectory import Trajectory

FILE_NAME = "runs.sqlite3"
_BUSY_SECONDS = 5.0
_TRIALS = (
    "SELECT id, run_id, task_id, task_index, trial, status, score, weighted_score, error, attempts, started_at,"
    " trajectory FROM trials"
)
_LATEST = (
    " WHERE task_id = ?2 AND run_id = (SELECT run_id FROM runs JOIN trials USING (run_id) WHERE eval_path = ?1 AND"
    " task_id = ?2 ORDER BY runs.started_at DESC, runs.rowid DESC LIMIT 1) ORDER BY task_index, trial"
)
_ROOT_MARKS = (".git", ".waza.yaml")


class StoreError(Exception):
    """The store cannot be used; the text names the file and says what to do. A run goes on without it."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One run as stored. `finished_at` is None while it goes on, and for ever if it was killed."""

    run_id: str
    eval_path: Path
    suite_name: str
    executor: str
    model: str
    started_at: float
    finished_at: float | None
    status: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """One finished trial of a stored run."""

    run_id: str
    record: TrialRecord


def workspace_root(eval_path: Path) -> Path:
    """The nearest folder above the eval that holds `.git` or `.waza.yaml`, else the eval's own folder."""
    folder = eval_path.resolve().parent
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _ROOT_MARKS):
            return candidate
    return folder


def default_store_dir(eval_path: Path) -> Path:
    """Where the runs of an eval are stored unless the user says otherwise."""
    return workspace_root(eval_path) / ".waza-lsp"


class RunStore:
    """An open store, for the thread that opened it. Every method raises `StoreError` when it cannot work."""

    def __init__(self, directory: Path) -> None:
        """Open the store in `directory`, making it if need be.

        Raises:
            StoreError: the folder or the file cannot be used.

        """
        self.path = directory / FILE_NAME
        with self._explained():
            directory.mkdir(parents=True, exist_ok=True)
            ignore = directory / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            self._connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            with self._explained():
                migrate(self._connection, _BUSY_SECONDS)
        except StoreError:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; closing twice is harmless."""
        self._connection.close()

    def start_run(
        self, run_id: str, eval_path: Path, suite_name: str, *, executor: str, model: str, started_at: float
    ) -> None:
        """Note that a run begins."""
        with self._transaction() as sql:
            sql.execute(
                "INSERT INTO runs (run_id, eval_path, suite_name, executor, model, started_at) VALUES (?,?,?,?,?,?)",
                (run_id, str(eval_path.resolve()), suite_name, executor, model, started_at),
            )

    def save_trial(self, run_id: str, record: TrialRecord) -> None:
        """Store a finished trial durably."""
        packed = zlib.compress(record.trajectory.model_dump_json().encode())
        with self._transaction() as sql:
            trial_key = sql.execute(
                "INSERT INTO trials (run_id, task_id, task_index, trial, status, score, weighted_score, error, attempts,"
                " started_at, finished_at, trajectory) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (
                    run_id,
                    record.task,
                    record.task_index,
                    record.trial,
                    record.status,
                    record.score,
                    record.weighted_score,
                    record.error,
                    record.attempts,
                    record.started_at,
                    time.time(),
                    packed,
                ),
            ).lastrowid
            sql.executemany(
                "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                [(trial_key, *_result_row(position, it)) for position, it in enumerate(record.graders)],
            )

    def finish_run(self, run_id: str, status: str, score: float) -> None:
        """Note that a run is over."""
        with self._transaction() as sql:
            sql.execute(
                "UPDATE runs SET finished_at = ?, status = ?, score = ? WHERE run_id = ?",
                (time.time(), status, score, run_id),
            )

    def runs(self, eval_path: Path | None = None, limit: int = 100) -> list[StoredRun]:
        """The newest runs first, of one eval or of all."""
        rows = self._rows(
            "SELECT run_id, eval_path, suite_name, executor, model, started_at, finished_at, status, score"
            " FROM runs WHERE ?1 IS NULL OR eval_path = ?1 ORDER BY started_at DESC, rowid DESC LIMIT ?2",
            (str(eval_path.resolve()) if eval_path else None, limit),
        )
        return [StoredRun(row[0], Path(row[1]), *row[2:]) for row in rows]

    def trials(self, run_id: str) -> list[StoredTrial]:
        """The finished trials of a run, by task and trial."""
        return self._trials(_TRIALS + " WHERE run_id = ? ORDER BY task_index, trial", (run_id,))

    def latest_trials(self, eval_path: Path, task_id: str) -> list[StoredTrial]:
        """The trials of a task in the newest run that finished one; empty when there is none."""
        return self._trials(_TRIALS + _LATEST, (str(eval_path.resolve()), task_id))

    def _trials(self, sql: str, values: tuple[Any, ...]) -> list[StoredTrial]:
        rows = self._rows(sql, values)
        with self._explained():
            return [_stored_trial(row, self._results(row[0])) for row in rows]

    def _results(self, trial_key: int) -> tuple[GraderOutcome, ...]:
        rows = self._rows("SELECT * FROM results WHERE trial_id = ? ORDER BY position", (trial_key,))
        return tuple(_outcome(row[2:]) for row in rows)

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._explained():
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the database and the disk may say into a `StoreError`."""
        try:
            yield
        except (sqlite3.Error, OSError, ValidationError, zlib.error, ValueError) as error:
            raise StoreError(
                f"The run store {self.path} cannot be used: {error}. Delete {self.path.parent} to start a new one, "
                "or name another folder with --store DIR"
            ) from error


def _result_row(position: int, outcome: GraderOutcome) -> tuple[Any, ...]:
    return (
        position,
        outcome.name,
        outcome.type,
        outcome.status,
        outcome.score,
        outcome.weight,
        outcome.feedback,
        None if outcome.details is None else json.dumps(outcome.details, default=str),
        outcome.duration_ms,
        str(outcome.path) if outcome.path else None,
        json.dumps(outcome.pointer),
    )


def _outcome(row: tuple[Any, ...]) -> GraderOutcome:
    name, kind, status, score, weight, feedback, details, duration_ms, path, pointer = row
    place: Pointer = tuple(json.loads(pointer))
    found: Mapping[str, Any] | None = None if details is None else json.loads(details)
    return GraderOutcome(
        name, kind, status, score, weight, feedback, found, duration_ms, Path(path) if path else None, place
    )


def _stored_trial(row: tuple[Any, ...], graders: tuple[GraderOutcome, ...]) -> StoredTrial:
    _, run_id, task, task_index, trial, status, score, weighted, error, attempts, started_at, packed = row
    trajectory = Trajectory.model_validate_json(zlib.decompress(packed))
    record = TrialRecord(
        task, task_index, trial, status, score, weighted, trajectory, graders, error, attempts, started_at
    )
    return StoredTrial(run_id, record)
