"""The database file of a run store: create it, wait while it is busy, reopen it after it was deleted or replaced.

On Unix, nothing reports that an open file was deleted: it can be written as before and vanishes when it is closed. So
before each write we check that our file is still the one at its path. If it is not, we copy the data of our own runs
to the file that is there now.

A store where nothing can be written (a read-only mount, someone else's folder, a CI artifact) is copied to be read.
"""

import contextlib
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import copy_regular
from waza_engine.lib.files.safe_write import open_own
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.pydantic_messages import error_text
from waza_engine.runs.store.connection import (
    ForeignStoreError,
    connect,
    connect_read_only,
    has_log,
    require_own_files,
)
from waza_engine.runs.store.errors import MomentaryError, StoreError, primary_code, translate_errors
from waza_engine.runs.store.schema import is_older, migrate

_BUSY_SECONDS = 1.0
_MAX_COPY_BYTES = 1_000_000_000
_DATABASE_SUFFIXES = ("", "-wal")
"""The files of a database: the log holds data that is not yet in the main file."""
_READ_ERRORS = (
    *(sqlite3.Error, OSError, zlib.error, ValueError, AttributeError, KeyError, TypeError, RecursionError),
)
"""Errors from damaged rows, or from rows of another version."""
FileIdentity = tuple[int, int]
"""Identifies a file independent of its name: device and inode."""
_RETRY_PAUSES = (0.01, 0.03, 0.1)
"""Seconds to wait before each retry when the store was deleted while it was being opened."""


class StoreFile:
    """A database for the thread that opened it. Every method raises `StoreError` on failure.

    With `for_reading` it must exist but need not be writable. With `may_come_later` a busy store or a full disk is no
    error yet: the file is opened at the next use.
    """

    def __init__(
        self, path: Path, patience: float, *, for_reading: bool, may_come_later: bool, briefly: bool = False
    ) -> None:
        self.path = path
        self.patience = patience
        """Seconds to wait for other programs that write."""
        self.is_new = False
        """The file was deleted or replaced, and our runs were copied to the new one."""
        self.is_lost = False
        """The file was deleted or replaced, and no new one can be written: our data is only in memory."""
        self.connection: sqlite3.Connection
        self._our_runs: dict[str, None] = {}
        self._file: FileIdentity | None = None
        self._is_open = False
        self._for_reading = for_reading
        self._briefly = briefly
        self._stack = ExitStack()
        try:
            with translate_errors(self.path):
                self._with_retries(self._open)
        except MomentaryError:
            if not may_come_later:
                raise

    def close(self) -> None:
        """Close it; closing twice is harmless."""
        self._stack.close()

    def own_run(self, run_id: str) -> None:
        """Mark a run as ours, so that it is copied if the file is replaced."""
        self._our_runs[run_id] = None

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """Return the rows of a query."""
        with translate_errors(self.path):
            if not self._is_open:
                self._with_retries(self._open)
            return self.connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit all writes in the block, or none."""
        with translate_errors(self.path):
            if not self._is_open:
                self._with_retries(self._open)
            elif not is_file_at(self.path, self._file):
                self._with_retries(self._open_again)
            self.connection.execute(f"PRAGMA busy_timeout = {round(self.patience * 1000)}")
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                # Some errors, such as a full disk, have ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    def _with_retries(self, open_file: Callable[[], None]) -> None:
        """Open the file. Retry if it, or its folder, may have been deleted at the same time."""
        for pause in () if self._for_reading else _RETRY_PAUSES:
            try:
                open_file()
            except (sqlite3.OperationalError, FileNotFoundError) as error:
                if not self._is_retryable(error):
                    raise
                time.sleep(pause)
            else:
                return
        open_file()

    def _is_retryable(self, error: Exception) -> bool:
        if isinstance(error, FileNotFoundError):
            return self.path.parent.parent.is_dir()
        return primary_code(error) in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}

    def _open(self) -> None:
        with ExitStack() as stack:
            if self._for_reading:
                self.connection = self._connect_read_only(stack)
            else:
                make_store_folder(self.path, parents=True)
                self.connection = self._connect(stack, self.path)
                self._file = file_identity(self.path)
            self._is_open = True
            self._stack = stack.pop_all()

    def _open_again(self) -> None:
        """Switch to the file that is at our path now and copy our runs to it."""
        if not self.is_lost:
            # Close the old file first: the log (-wal) at our path may still belong to it.
            with ExitStack() as stack:
                memory = self._connect(stack, "")
                copy_runs(self.connection, memory, self._our_runs)
                self._stack.close()
                self.connection, self._stack, self.is_lost = memory, stack.pop_all(), True
        with ExitStack() as stack:
            # If the whole workspace was deleted, do not create it again.
            make_store_folder(self.path, parents=False)
            connection = self._connect(stack, self.path)
            copy_runs(self.connection, connection, self._our_runs)
            self._stack.close()
            self.connection, self._stack, self._file = connection, stack.pop_all(), file_identity(self.path)
            self.is_lost, self.is_new = False, True

    def _connect(self, stack: ExitStack, path: Path | str) -> sqlite3.Connection:
        connection = stack.enter_context(connect(path, self.patience))
        migrate(connection, self.patience)
        return connection

    def _connect_read_only(self, stack: ExitStack) -> sqlite3.Connection:
        path = stack.enter_context(readable_path(self.path, briefly=self._briefly))
        connection = stack.enter_context(connect_read_only(path, self.patience, briefly=self._briefly))
        if not is_older(connection):
            return connection
        # Reading changes nothing, so the tables are migrated in a copy.
        [(pages,)], [(size,)] = (
            connection.execute("PRAGMA page_count"),
            connection.execute("PRAGMA page_size"),
        )
        if pages * size > _MAX_COPY_BYTES:
            raise ForeignStoreError(
                "it is from an older version and too large to be copied", "Start a run, which upgrades it"
            )
        copy = stack.enter_context(
            connect(stack.enter_context(temporary_folder()) / path.name, self.patience)
        )
        connection.backup(copy)
        migrate(copy, self.patience)
        return copy


def make_store_folder(path: Path, *, parents: bool = True) -> None:
    """Make the folder of the store at `path` if it is missing, and keep it out of git.

    Raises:
        StoreError: the folder or a file of the store belongs to somebody else, or leads out of the workspace.
        OSError: it cannot be made.

    """
    require_own_files(path)
    folder = path.parent
    folder.mkdir(parents=parents, exist_ok=True)
    ignore = folder / ".gitignore"
    if ignore.is_symlink() or (ignore.exists() and ignore.stat().st_size):
        return
    with open_own(ignore) as file:  # missing, or empty because the disk was full
        file.write(b"*\n")


@contextlib.contextmanager
def open_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Provide a connection that changes nothing, neither in the store nor beside it.

    Raises:
        StoreError: the file is not a database, cannot be copied if it must be, or holds data that the block cannot use.

    """
    try:
        with (
            readable_path(path, briefly=True) as database,
            connect_read_only(database, _BUSY_SECONDS, briefly=True) as sql,
        ):
            yield sql
    except _READ_ERRORS as error:
        raise StoreError(f"The run store {path} cannot be read: {error_text(error)}") from error


@contextlib.contextmanager
def readable_path(path: Path, *, briefly: bool = False) -> Iterator[Path]:
    """Provide the database, or a temporary copy if its folder is read-only: SQLite writes beside a database to read it.

    With `briefly`, it is also a copy if the database has a log without an index, which SQLite would create.

    Raises:
        OSError: the database cannot be copied.

    """
    require_own_files(path)
    lacks_index = briefly and has_log(path) and not path.with_name(f"{path.name}-shm").exists()
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) and not lacks_index:
        yield path
        return
    with temporary_folder() as folder:
        for ending in _DATABASE_SUFFIXES:
            source = path.with_name(path.name + ending)
            if not ending or source.exists():
                copy_regular(source, folder / source.name, _MAX_COPY_BYTES)
        yield folder / path.name


def copy_runs(source: sqlite3.Connection, target: sqlite3.Connection, run_ids: Iterable[str]) -> None:
    """Copy runs with their trials, one trial at a time. Rows that the target has stay as they are.

    Raises:
        sqlite3.Error: nothing was copied.

    """
    target.execute("BEGIN IMMEDIATE")
    try:
        for run_id in run_ids:
            _copy_rows(source, target, "runs", "run_id", run_id, {})
            trials_sql = "SELECT id, task_index, trial FROM trials WHERE run_id = ? ORDER BY id"
            for old, task, trial in source.execute(trials_sql, (run_id,)).fetchall():
                _copy_rows(source, target, "trials", "id", old, {"id": None})
                id_sql = "SELECT id FROM trials WHERE run_id = ? AND task_index = ? AND trial = ?"
                [new] = target.execute(id_sql, (run_id, task, trial)).fetchone()
                _copy_rows(source, target, "results", "trial_id", old, {"trial_id": new})
    except BaseException:
        if target.in_transaction:
            target.execute("ROLLBACK")
        raise
    target.execute("COMMIT")


def _copy_rows(
    source: sqlite3.Connection,
    target: sqlite3.Connection,
    table: str,
    key: str,
    value: object,
    changed: Mapping[str, object],
) -> None:
    """Copy the rows where `key` is `value`, with the columns `changed`; the target chooses an id of None."""
    cursor = source.execute(f"SELECT * FROM {table} WHERE {key} = ?", (value,))  # noqa: S608  # our own names
    names = [it for it, *_ in cursor.description]
    rows = [{**dict(zip(names, row, strict=True)), **changed} for row in cursor]
    marks = ", ".join(f":{it}" for it in names)
    target.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)  # noqa: S608  # see above


def file_identity(path: Path) -> FileIdentity | None:
    """Return the identity of the file at `path`, or None if there is none.

    Raises:
        OSError: the identity cannot be read.

    """
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return stat.st_dev, stat.st_ino


def is_file_at(path: Path, file: FileIdentity | None) -> bool:
    """Return whether this file is still at `path`; True if that cannot be determined."""
    try:
        return file_identity(path) == file
    except OSError:
        # We may not read the folder any more, but the open file can still be written.
        return True
