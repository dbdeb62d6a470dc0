"""The run store: every run with its trials and verdicts in one SQLite file, `.waza-lsp/runs.sqlite3`.

Each trial is committed with its trajectory, in one transaction, the moment it ends: a killed run keeps its finished
trials. The trajectory is zlib-packed JSON in the row, not a separate file, so it cannot be incomplete, orphaned or
left behind. WAL and a busy timeout let several processes write. You can delete the folder at any time, even during a
run; it is created again. Runs are ordered by when they were stored, independent of the clock.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Self

from waza_engine.lib.paths import real_path
from waza_engine.model.results.records import GraderOutcome, TrialRecord, TrialVerdict
from waza_engine.project.store_location import FILE_NAME, default_store_dir, workspace_root
from waza_engine.runs.run_header import RunEnd, RunFrame, claim_for_process, is_running
from waza_engine.runs.store.errors import BusyError, StoreError, UnfitError, translate_errors
from waza_engine.runs.store.file import StoreFile
from waza_engine.runs.store.rows import (
    INFRASTRUCTURE,
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
    stored_verdict,
    to_json,
    trial_row,
)

__all__ = [
    "FILE_NAME",
    "PATIENCE_SECONDS",
    "BusyError",
    "RunStore",
    "StoreError",
    "StoredRun",
    "StoredTrial",
    "UnfitError",
    "default_store_dir",
    "workspace_root",
]

PATIENCE_SECONDS = 5.0
_TRIALS_SQL = f"SELECT {TRIAL_COLUMNS} FROM trials"  # noqa: S608  # our own names
_PAGE = 20
"""How many trials are read at once: the time per query no longer counts, and the memory does not count yet."""
_PAGE_SQL = f"{_TRIALS_SQL} WHERE run_id = ? AND task_index = ? AND trial > ? ORDER BY trial LIMIT ?"
_LATEST_SQL = (
    " WHERE task_id = ?2 AND run_id = (SELECT run_id FROM runs JOIN trials USING (run_id) WHERE eval_path = ?1 AND"
    " task_id = ?2 AND baseline_of IS NULL ORDER BY runs.rowid DESC LIMIT 1)"
    " ORDER BY task_index, trial"
)
_OF_TASK_SQL = (
    " JOIN (SELECT run_id, rowid AS run_order FROM runs WHERE eval_path = ?1 AND baseline_of IS NULL) USING (run_id)"
    " WHERE task_id = ?2 ORDER BY run_order DESC, task_index, trial LIMIT ?3"
)
_OF_OTHER_RUNS_SQL = _OF_TASK_SQL.replace(" ORDER BY", " AND run_id != ?4 ORDER BY status = 'passed' DESC,")
_EARLIER_RUNS = 100
"""How many runs are searched for the last one in which a task passed."""
_OF_ARM_SQL = "json_extract(frame, '$.arm.variant') = ?3 AND json_extract(frame, '$.arm.eval_path') = ?4"
_EARLIER_SQL = (
    "SELECT run_id, rowid AS run_order FROM runs WHERE eval_path = ?1 AND baseline_of IS NULL AND rowid <"  # noqa: S608  # our own names
    f" (SELECT rowid FROM runs WHERE run_id = ?2) AND (?3 IS NULL OR {_OF_ARM_SQL}) ORDER BY rowid DESC LIMIT ?5"
)
_PASSED_SQL = (
    f"SELECT task_id, run_id, run_order FROM trials JOIN ({_EARLIER_SQL}) USING (run_id) GROUP BY task_id, run_id"  # noqa: S608  # our own names
    " HAVING min(status IN ('passed', 'skipped')) AND max(status = 'passed')"
)
_STREAK_SQL = (
    f"SELECT min(status IN ('passed', 'skipped')) FROM trials JOIN ({_EARLIER_SQL}) USING (run_id)"  # noqa: S608  # our own names
    " WHERE task_id = ?6 GROUP BY run_id ORDER BY max(run_order) DESC"
)
_GREEN_SQL = f"SELECT task_id, run_id, max(run_order) FROM ({_PASSED_SQL}) GROUP BY task_id"  # noqa: S608  # our own names


class RunStore:
    """An open store, for the thread that opened it. Every method raises `StoreError` on failure."""

    def __init__(
        self,
        directory: Path,
        *,
        for_reading: bool = False,
        may_come_later: bool = False,
        briefly: bool = False,
    ) -> None:
        """Open the store in `directory`; create it if it is missing.

        With `for_reading` it must exist but need not be writable. With `may_come_later` a busy store or a full disk is
        no error yet: the store is opened at the next use. `briefly`: it is closed in a moment, and nothing must be left
        beside it (`connect_read_only`).

        Raises:
            StoreError: the folder or the file cannot be used.

        """
        self.directory = directory
        self.path = directory / FILE_NAME
        self.file = StoreFile(
            self.path,
            PATIENCE_SECONDS,
            for_reading=for_reading,
            may_come_later=may_come_later,
            briefly=briefly,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; closing twice is harmless."""
        self.file.close()

    def start_run(
        self,
        run_id: str,
        eval_path: Path,
        frame: RunFrame,
        *,
        started_at: float,
        baseline_of: str | None = None,
    ) -> None:
        """Record that a run starts or resumes."""
        with self.file.transaction() as sql:
            self.file.own_run(run_id)
            sql.execute(
                "INSERT INTO runs (run_id, eval_path, suite_name, executor, model, started_at, baseline_of, frame)"
                " VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (run_id) DO UPDATE SET finished_at = NULL, status = NULL,"
                " score = NULL, frame = excluded.frame",
                (
                    run_id,
                    str(real_path(eval_path)),
                    frame.suite_name,
                    frame.executor,
                    frame.model,
                    started_at,
                    baseline_of,
                    to_json(frame),
                ),
            )

    def take_over(self, run_id: str) -> StoredRun:
        """Make this process the one that performs a run, unless another does. Return the run as it was before."""
        with self.file.transaction() as sql:
            row = sql.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)).fetchone()  # noqa: S608  # our own names
            before = stored_run(row)
            if not (before.status is None and is_running(before.frame)):
                frame = to_json(claim_for_process(before.frame))
                sql.execute("UPDATE runs SET status = NULL, frame = ? WHERE run_id = ?", (frame, run_id))
                self.file.own_run(run_id)
        return before

    def save_trial(self, run_id: str, record: TrialRecord) -> None:
        """Store a finished trial durably. If another process stored it first, that one stays."""
        with translate_errors(self.path):
            values = trial_row(run_id, record, time.time())
        with self.file.transaction() as sql:
            _insert_trial(sql, values, record)

    def replace_undecided(self, run_id: str, record: TrialRecord) -> bool:
        """Store a new verdict on a trial that could not be judged. Return False if the stored trial is decided now."""
        with translate_errors(self.path):
            values = trial_row(run_id, record, time.time())
        key = (run_id, record.task_index, record.trial, INFRASTRUCTURE)
        with self.file.transaction() as sql:
            found = sql.execute(
                "SELECT id FROM trials WHERE run_id = ?1 AND task_index = ?2 AND trial = ?3 AND (status = ?4 OR EXISTS"
                " (SELECT 1 FROM results WHERE trial_id = trials.id AND results.status = ?4))",
                key,
            ).fetchone()
            if found is not None:
                sql.execute("DELETE FROM trials WHERE id = ?", found)
                _insert_trial(sql, values, record)
        return found is not None

    def copy_trials(self, source: str, source_index: int, run_id: str, task_index: int, trials: int) -> None:
        """Copy the first trials of a task from another run into this one."""
        with self.file.transaction() as sql:
            for number in range(1, trials + 1):
                row = sql.execute(TRIAL_COPY, (run_id, task_index, source, source_index, number))
                sql.execute(RESULTS_COPY, (row.lastrowid, source, source_index, number))

    def forget_task(self, run_id: str, task_index: int) -> None:
        """Delete the trials of a task that has changed since they ran."""
        with self.file.transaction() as sql:
            sql.execute("DELETE FROM trials WHERE run_id = ? AND task_index = ?", (run_id, task_index))

    def forget_undecided(self, run_id: str) -> None:
        """Delete the trials of a run with an error of infrastructure, so that they can run again."""
        with self.file.transaction() as sql:
            sql.execute("DELETE FROM trials WHERE run_id = ? AND status = ?", (run_id, INFRASTRUCTURE))

    def finish_run(self, run_id: str, status: str, score: float, end: RunEnd | None = None) -> None:
        """Record the end of a run."""
        with self.file.transaction() as sql:
            sql.execute(
                "UPDATE runs SET finished_at = ?, status = ?, score = ?, ending = ? WHERE run_id = ?",
                (time.time(), status, score, to_json(end or RunEnd()), run_id),
            )

    def change_verdict(self, run_id: str, status: str, score: float) -> None:
        """Change the verdict on a run that has ended."""
        with self.file.transaction() as sql:
            sql.execute(
                "UPDATE runs SET status = ?, score = ? WHERE run_id = ? AND status IS NOT NULL",
                (status, score, run_id),
            )

    def runs(self, eval_path: Path | None = None, limit: int = 100, *, before: str = "") -> list[StoredRun]:
        """Return the runs of one eval or of all, newest first. Baseline passes are not listed on their own.

        With `before`, only those that started before this run.
        """
        rows = self.file.rows(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE (?1 IS NULL OR eval_path = ?1) AND baseline_of IS NULL"  # noqa: S608  # our own names
            " AND (?3 = '' OR rowid < (SELECT rowid FROM runs WHERE run_id = ?3)) ORDER BY rowid DESC LIMIT ?2",
            (str(real_path(eval_path)) if eval_path else None, limit, before),
        )
        with translate_errors(self.path):
            return [stored_run(row) for row in rows]

    def evals(self) -> list[tuple[StoredRun, int]]:
        """Return the newest run of each eval, with the number of the eval's runs, newest first."""
        rows = self.file.rows(
            f"SELECT number, {RUN_COLUMNS} FROM runs JOIN (SELECT max(rowid) AS newest, count(*) AS number FROM runs"  # noqa: S608  # our own names
            " WHERE baseline_of IS NULL GROUP BY eval_path) ON runs.rowid = newest ORDER BY newest DESC",
            (),
        )
        with translate_errors(self.path):
            return [(stored_run(row[1:]), row[0]) for row in rows]

    def last_green(self, run: StoredRun, tasks: Set[str]) -> dict[str, StoredRun]:
        """Return for each of these tasks the newest run before `run` in which it passed, if there is one.

        A run of an experiment's arm is compared with runs of the same arm.
        """
        arm = run.frame.arm
        of_arm = (arm.variant, arm.eval_path) if arm is not None else (None, None)
        rows = self.file.rows(_GREEN_SQL, (str(run.eval_path), run.run_id, *of_arm, _EARLIER_RUNS))
        found = {task: run_id for task, run_id, _ in rows if task in tasks}
        runs = {}
        with translate_errors(self.path):
            for it in set(found.values()):
                [row] = self.file.rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (it,))  # noqa: S608  # our own names
                runs[it] = stored_run(row)
        return {task: runs[it] for task, it in found.items()}

    def passed_in_a_row(self, run: StoredRun, task: str) -> int:
        """Return how many runs before `run` passed a task, back to the last one that did not."""
        arm = run.frame.arm
        of_arm = (arm.variant, arm.eval_path) if arm is not None else (None, None)
        rows = self.file.rows(_STREAK_SQL, (str(run.eval_path), run.run_id, *of_arm, _EARLIER_RUNS, task))
        passed = [bool(it) for (it,) in rows]
        return passed.index(False) if False in passed else len(passed)

    def delete_runs(self, run_ids: Sequence[str]) -> None:
        """Delete runs with their trials and their baseline passes."""
        with self.file.transaction() as sql:
            for it in run_ids:
                sql.execute("DELETE FROM runs WHERE run_id = ?1 OR baseline_of = ?1", (it,))

    def find_runs(self, run_id: str) -> list[StoredRun]:
        """Return the runs whose id starts with `run_id`, newest first; only the exact match if there is one."""
        rows = self.file.rows(
            f"SELECT {RUN_COLUMNS} FROM runs WHERE substr(run_id, 1, length(?1)) = ?1"  # noqa: S608  # our own names
            " AND (baseline_of IS NULL OR run_id = ?1) ORDER BY rowid DESC",
            (run_id,),
        )
        with translate_errors(self.path):
            runs = [stored_run(row) for row in rows]
        return [it for it in runs if it.run_id == run_id] or runs

    def executor_of(self, run_id: str) -> str:
        """Return the executor of a run, "" if there is no such run. Much faster than to read the whole run."""
        rows = self.file.rows("SELECT executor FROM runs WHERE run_id = ?", (run_id,))
        return str(rows[0][0]) if rows else ""

    def tasks_newest_first(self, eval_path: Path) -> list[str]:
        """Return the ids of the tasks with trials in runs of an eval, ordered by their last trial."""
        rows = self.file.rows(
            "SELECT task_id, max(id) AS last FROM trials JOIN runs USING (run_id) WHERE eval_path = ?"
            " AND baseline_of IS NULL GROUP BY task_id ORDER BY last DESC",
            (str(real_path(eval_path)),),
        )
        return [str(task) for task, _ in rows]

    def baseline_of(self, run_id: str) -> StoredRun | None:
        """Return the baseline pass (without skills) of a run, or None."""
        rows = self.file.rows(f"SELECT {RUN_COLUMNS} FROM runs WHERE baseline_of = ?", (run_id,))  # noqa: S608  # our own names
        with translate_errors(self.path):
            return stored_run(rows[0]) if rows else None

    def trials(self, run_id: str) -> list[StoredTrial]:
        """Return the finished trials of a run, ordered by task and trial."""
        return self._trials(_TRIALS_SQL + " WHERE run_id = ? ORDER BY task_index, trial", (run_id,))

    def trial(self, run_id: str, task_index: int, number: int) -> TrialRecord:
        """Return one finished trial, which must exist."""
        key = (run_id, task_index, number)
        trials = self._trials(_TRIALS_SQL + " WHERE run_id = ? AND task_index = ? AND trial = ?", key)
        if not trials:
            raise StoreError(
                f"The run store {self.path} has no trial {number} of task {task_index} of run {run_id}"
            )
        return trials[0].record

    def trials_of_task(self, run_id: str, task_index: int) -> Iterator[TrialRecord]:
        """Yield the finished trials of a task in order. A few are in memory at a time."""
        after = 0
        while rows := self.file.rows(_PAGE_SQL, (run_id, task_index, after, _PAGE)):
            outcomes: dict[int, list[GraderOutcome]] = {}
            marks = ",".join("?" * len(rows))
            results_sql = f"SELECT * FROM results WHERE trial_id IN ({marks}) ORDER BY trial_id, position"  # noqa: S608  # marks
            results = self.file.rows(results_sql, tuple(it[0] for it in rows))
            with translate_errors(self.path):
                for it in results:
                    outcomes.setdefault(it[0], []).append(stored_outcome(it[2:]))
            for row in rows:
                with translate_errors(self.path):
                    record = stored_trial(row, tuple(outcomes.get(row[0], ()))).record
                yield record
                after = record.trial

    def finished(self, run_id: str, *, judged: bool = False) -> list[tuple[int, int]]:
        """Return the finished trials of a run as pairs of task index and trial number.

        With `judged`, trials with an error are left out.
        """
        return self.file.rows(
            "SELECT task_index, trial FROM trials WHERE run_id = ?1 AND NOT (?2 AND status IN ('error', ?3))"
            " ORDER BY task_index, trial",
            (run_id, judged, INFRASTRUCTURE),
        )

    def undecided(self, run_id: str) -> list[tuple[int, int]]:
        """Return the trials of a run with an error of infrastructure, as pairs of task index and trial number."""
        return self.file.rows(
            "SELECT task_index, trial FROM trials WHERE run_id = ? AND status = ? ORDER BY task_index, trial",
            (run_id, INFRASTRUCTURE),
        )

    def verdicts(self, run_id: str) -> list[TrialVerdict]:
        """Return how the trials of a run ended, without trajectories: much faster to read."""
        rows = self.file.rows(
            "SELECT task_id, trial, status, score FROM trials WHERE run_id = ? ORDER BY task_index, trial",
            (run_id,),
        )
        with translate_errors(self.path):
            return [stored_verdict(row) for row in rows]

    def latest_trials(self, eval_path: Path, task_id: str) -> list[StoredTrial]:
        """Return a task's trials in the newest run that finished one; empty if there is none."""
        return self._trials(_TRIALS_SQL + _LATEST_SQL, (str(real_path(eval_path)), task_id))

    def task_trials(self, eval_path: Path, task_id: str, most: int) -> list[StoredTrial]:
        """Return up to `most` trials of a task from all its runs, newest first."""
        return self._trials(_TRIALS_SQL + _OF_TASK_SQL, (str(real_path(eval_path)), task_id, most))

    def trials_of_other_runs(
        self, eval_path: Path, task_id: str, most: int, run_id: str
    ) -> list[StoredTrial]:
        """Return up to `most` trials of a task from all runs but one. Those that passed come first, then newer ones."""
        values = (str(real_path(eval_path)), task_id, most, run_id)
        return self._trials(_TRIALS_SQL + _OF_OTHER_RUNS_SQL, values)

    def _trials(self, sql: str, values: tuple[Any, ...]) -> list[StoredTrial]:
        rows = self.file.rows(sql, values)
        with translate_errors(self.path):
            return [stored_trial(row, self._results(row[0])) for row in rows]

    def _results(self, trial_key: int) -> tuple[GraderOutcome, ...]:
        rows = self.file.rows("SELECT * FROM results WHERE trial_id = ? ORDER BY position", (trial_key,))
        return tuple(stored_outcome(row[2:]) for row in rows)


def _insert_trial(sql: sqlite3.Connection, values: tuple[Any, ...], record: TrialRecord) -> None:
    inserted = sql.execute(TRIAL_INSERT, values)
    if inserted.rowcount:
        sql.executemany(
            "INSERT INTO results VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [(inserted.lastrowid, *result_row(position, it)) for position, it in enumerate(record.graders)],
        )
