"""The tables of the run store, and the migration of older files.

`PRAGMA user_version` counts the migrations applied to a file. A released migration never changes; new ones are added
at the end.
"""

import re
import sqlite3
import time

_MIGRATIONS = (
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY,
        eval_path TEXT NOT NULL,
        suite_name TEXT NOT NULL,
        executor TEXT NOT NULL,
        model TEXT NOT NULL,
        started_at REAL NOT NULL,
        finished_at REAL,
        status TEXT,
        score REAL
    );
    CREATE INDEX runs_by_eval ON runs (eval_path, started_at);
    CREATE TABLE trials (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
        task_id TEXT NOT NULL,
        task_index INTEGER NOT NULL,
        trial INTEGER NOT NULL,
        status TEXT NOT NULL,
        score REAL NOT NULL,
        weighted_score REAL NOT NULL,
        error TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        started_at REAL NOT NULL,
        finished_at REAL NOT NULL,
        trajectory BLOB NOT NULL,
        UNIQUE (run_id, task_index, trial)
    );
    CREATE INDEX trials_by_task ON trials (task_id, run_id);
    CREATE TABLE results (
        trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        status TEXT NOT NULL,
        score REAL NOT NULL,
        weight REAL NOT NULL,
        feedback TEXT NOT NULL,
        details TEXT,
        duration_ms INTEGER NOT NULL,
        path TEXT,
        pointer TEXT NOT NULL,
        PRIMARY KEY (trial_id, position)
    );
    """,
    """
    ALTER TABLE runs ADD COLUMN baseline_of TEXT;
    ALTER TABLE runs ADD COLUMN frame TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE runs ADD COLUMN ending TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE trials ADD COLUMN checkpoints TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE trials ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
    """,
    """
    ALTER TABLE results ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';
    """,
    # The index has all that flip rates need: the columns behind a trajectory are slow to reach.
    """
    ALTER TABLE trials ADD COLUMN work TEXT NOT NULL DEFAULT '';
    CREATE INDEX trials_by_work ON trials (run_id, task_id, trial, status, work, started_at);
    """,
)

VERSION = len(_MIGRATIONS)
TABLES = tuple(re.findall(r"CREATE TABLE (\w+)", "".join(_MIGRATIONS)))


class NewerError(sqlite3.DatabaseError):
    """A newer version of waza-lsp wrote the file."""


def migrate(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Migrate the file to the newest version. Several processes may do so at once.

    Raises:
        sqlite3.Error: the file is not a run store, or it stays locked.
        NewerError: a newer version of waza-lsp wrote it.

    """
    _enable_wal(connection, busy_seconds)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if not is_older(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _apply_migrations(connection)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def is_older(connection: sqlite3.Connection) -> bool:
    """Whether the file must be migrated to be used.

    Raises:
        NewerError: a newer version of waza-lsp wrote it.

    """
    version = _version(connection)
    if version > VERSION:
        raise NewerError("a newer version of waza-lsp wrote it")
    return version < VERSION


def _apply_migrations(connection: sqlite3.Connection) -> None:
    if not is_older(connection):  # Another process was faster.
        return
    for step in _MIGRATIONS[_version(connection) :]:
        for statement in filter(str.strip, step.split(";")):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _enable_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Switch to WAL mode. SQLite does not wait for locks in this statement, so we retry."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            locked = error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
            if not locked or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
