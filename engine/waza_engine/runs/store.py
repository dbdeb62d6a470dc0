"""The run store: every run with its trials and verdicts in one SQLite file, `.waza-lsp/runs.sqlite3`.

A trial is committed, with its whole trajectory, in one transaction the moment it ends, so a run that is killed keeps
what it finished. The trajectory is a zlib-packed JSON in the row and not a file beside it: a row cannot be half
there, orphaned or forgotten when it is deleted. WAL and a busy timeout let several processes write at once. The
folder can be deleted at any time; a new one is made by the next run.
"""

import contextlib
import errno
import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from waza_engine.runs.frames import RunEnd, RunFrame
from waza_engine.runs.records import GraderOutcome, TrialRecord, TrialVerdict
from waza_engine.runs.store_rows import (
    RESULTS_COPY,
    RUN_COLUMNS,
    TRIAL_COLUMNS,
    TRIAL_COPY,
    TRIAL_INSERT,
    StoredRun,
    StoredTrial,
    result_row,
    stored_outcome,
    stored_run,
    stored_trial,
    to_json,
    trial_row,
)
from waza_engine.runs.store_schema import migrate

__all__ = ["RunStore", "StoreError", "StoredRun", "StoredTrial", "default_store_dir", "workspace_root"]

FILE_NAME = "runs.sqlite3"
_BUSY_SECONDS = 5.0
_TRIALS = f"SELECT {TRIAL_COLUMNS} FROM trials"  # noqa: S608  # our own names
_LATEST = (
    " WHERE task_id = ?2 AND run_id = (SELECT run_id FROM runs JOIN trials USING (run_id) WHERE eval_path = ?1 AND"
    " task_id = ?2 AND baseline_of IS NULL ORDER BY runs.started_at DESC, runs.rowid DESC LIMIT 1)"
    " ORDER BY task_index, trial"
)
_OF_TASK = (
    " JOIN (SELECT run_id, started_at AS run_start, rowid AS run_order FROM runs WHERE eval_path = ?1 AND"
    " baseline_of IS NULL) USING (run_id) WHERE task_id = ?2"
    " ORDER BY run_start DESC, run_order DESC, task_index, trial LIMIT ?3"
)
_ROOT_MARKS = (".git", ".waza.yaml")


class StoreError(Exception):
    """The store cannot be used; the text names the file and says what to do. A run goes on without it."""


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
        self.directory = directory
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
        self,
        run_id: str,
        eval_path: Path,
        frame: RunFrame,
        *,
        started_at: float,
        baseline_of: str | None = None,
    ) -> None:
        """Note that a run begins, or that one goes on that was started before."""
        with self._transaction() as sql:
            sql.execute(
                "INSERT INTO runs (run_id, eval_path, suite_name, executor, model, started_at, baseline_of, frame)"
                " VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (run_id) DO UPDATE SET finished_at = NULL, status = NULL,"
                " score = NULL, frame = excluded.frame",
                (
                    run_id,
                    str(eval_path.resolve()),
                    frame.suite_name,
                    frame.executor,
                    frame.model,
                    started_at,
                    baseline_of,
                    to_json(frame),
                ),
            )

    def save_trial(self, run_id: str, record: TrialRecord) -> None:
        """Store a finished trial durably."""
        values = trial_row(run_id, record, time.time())
        with self._transaction() as sql:
            trial_key = sql.execute(TRIAL_INSERT, values).lastrowid
            sql.executemany(
                "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
                [(trial_key, *result_row(position, it)) for position, it in enumerate(record.graders)],
            )

    def copy_trials(self, source: str, source_index: int, run_id: str, task_index: int, trials: int) -> None:
        """Have the first trials of a task of another run count for this one, too."""
        with self._transaction() as sql:
            for number in range(1, trials + 1):
                row = sql.execute(TRIAL_COPY, (run_id, task_index, source, source_index, number))
                sql.execute(RESULTS_COPY, (row.lastrowid, source, source_index, number))

    def forget_task(self, run_id: str, task_index: int) -> None:
        """Remove the trials of a task of a run, because they are no longer about the task as it is."""
        with self._transaction() as sql:
            sql.execute("DELETE FROM trials WHERE run_id = ? AND task_index = ?", (run_id, task_index))

    def finish_run(self, run_id: str, status: str, score: float, end: RunEnd | None = None) -> None:
        """Note that a run is over."""
        with self._transaction() as sql:
            sql.execute(
                "UPDATE runs SET finished_at = ?, status = ?, score = ?, ending = ? WHERE run_id = ?",
                (time.time(), status, score, to_json(end or RunEnd()), run_id),
            )

    def runs(self, eval_path: Path | None = None, limit: int = 100) -> list[StoredRun]:
        """The newest runs first, of one eval or of all; the passes without skills are part of their runs."""
        rows = self._rows(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE (?1 IS NULL OR eval_path = ?1) AND baseline_of IS NULL"  # noqa: S608  # our own names
            " ORDER BY started_at DESC, rowid DESC LIMIT ?2",
            (str(eval_path.resolve()) if eval_path else None, limit),
        )
        with self._explained():
            return [stored_run(row) for row in rows]

    def find_runs(self, run_id: str) -> list[StoredRun]:
        """The runs whose id starts with this, newest first; the exact one alone if there is one."""
        rows = self._rows(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE substr(run_id, 1, length(?1)) = ?1"  # noqa: S608  # our own names
            " AND (baseline_of IS NULL OR run_id = ?1) ORDER BY started_at DESC, rowid DESC",
            (run_id,),
        )
        with self._explained():
            found = [stored_run(row) for row in rows]
        return [it for it in found if it.run_id == run_id] or found

    def baseline_of(self, run_id: str) -> StoredRun | None:
        """The pass without skills of a run that had one."""
        rows = self._rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE baseline_of = ?", (run_id,))  # noqa: S608  # our own names
        with self._explained():
            return stored_run(rows[0]) if rows else None

    def trials(self, run_id: str) -> list[StoredTrial]:
        """The finished trials of a run, by task and trial."""
        return self._trials(_TRIALS + " WHERE run_id = ? ORDER BY task_index, trial", (run_id,))

    def trial(self, run_id: str, task_index: int, number: int) -> TrialRecord:
        """One finished trial, which must be there."""
        key = (run_id, task_index, number)
        found = self._trials(_TRIALS + " WHERE run_id = ? AND task_index = ? AND trial = ?", key)
        if not found:
            raise StoreError(
                f"The run store {self.path} has no trial {number} of task {task_index} of run {run_id}"
            )
        return found[0].record

    def finished(self, run_id: str) -> list[tuple[int, int]]:
        """Which trials of a run are there: the index of the task, and the number of the trial."""
        return self._rows(
            "SELECT task_index, trial FROM trials WHERE run_id = ? ORDER BY task_index, trial", (run_id,)
        )

    def verdicts(self, run_id: str) -> list[TrialVerdict]:
        """How the trials of a run ended, without what the agents did: much faster to read."""
        rows = self._rows(
            "SELECT task_id, trial, status, score FROM trials WHERE run_id = ? ORDER BY task_index, trial",
            (run_id,),
        )
        return [TrialVerdict(*row) for row in rows]

    def history(self, run_id: str, most: int = 20) -> list[list[TrialVerdict]]:
        """The verdicts of a run and of those before it of the same eval, in the order of time."""
        rows = self._rows(
            "SELECT run_id FROM runs JOIN (SELECT eval_path AS path, started_at AS start FROM runs WHERE run_id = ?1)"
            " ON eval_path = path AND started_at <= start WHERE baseline_of IS NULL ORDER BY started_at DESC LIMIT ?2",
            (run_id, most),
        )
        return [found for (it,) in reversed(rows) if (found := self.verdicts(it))]

    def latest_trials(self, eval_path: Path, task_id: str) -> list[StoredTrial]:
        """The trials of a task in the newest run that finished one; empty when there is none."""
        return self._trials(_TRIALS + _LATEST, (str(eval_path.resolve()), task_id))

    def task_trials(self, eval_path: Path, task_id: str, most: int) -> list[StoredTrial]:
        """The trials of a task in all its runs, newest first, at most so many."""
        return self._trials(_TRIALS + _OF_TASK, (str(eval_path.resolve()), task_id, most))

    def _trials(self, sql: str, values: tuple[Any, ...]) -> list[StoredTrial]:
        rows = self._rows(sql, values)
        with self._explained():
            return [stored_trial(row, self._results(row[0])) for row in rows]

    def _results(self, trial_key: int) -> tuple[GraderOutcome, ...]:
        rows = self._rows("SELECT * FROM results WHERE trial_id = ? ORDER BY position", (trial_key,))
        return tuple(stored_outcome(row[2:]) for row in rows)

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        with self._explained():
            return self._connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                # A full disk, for one, has ended the transaction already.
                if self._connection.in_transaction:
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
                f"The run store {self.path} cannot be used: {error}. {_advice(error, self.path.parent)}, "
                "or name another folder with --store DIR"
            ) from error


def _advice(error: Exception, folder: Path) -> str:
    """What to do: a store that is whole must not be deleted because the disk is full, or somebody else is writing."""
    code = getattr(error, "sqlite_errorcode", None)
    number = error.errno if isinstance(error, OSError) else None
    if code == sqlite3.SQLITE_FULL or number in {errno.ENOSPC, errno.EDQUOT}:
        return "Free some space"
    if code is not None and code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return "Wait until the other program is done"
    if code is not None and code & 0xFF in {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }:
        return f"See that {folder} can be written"
    if number in {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR}:
        return f"See that {folder} can be written"
    return f"Delete {folder} to start a new one"
