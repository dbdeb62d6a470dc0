"""The open database of a run store: made where there is none, waited for while it is busy, found again when it is gone.

When the file of a run store is deleted, moved away or replaced while it is open.

Nobody hears of that: on Unix the old file can be written as before, and is gone once it is closed. So who writes looks
whether the file is still the one at its path, and takes what is known of its own runs to the one that is there now.
"""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from waza_engine.runs.store.errors import MomentaryError, primary_code, translate_errors
from waza_engine.runs.store.reading import readable_path
from waza_engine.runs.store.schema import migrate

FileIdentity = tuple[int, int]
"""Which file it is, whatever it is called: its device, and its number there."""


def file_identity(path: Path) -> FileIdentity | None:
    """The file that is there now; None when there is none.

    Raises:
        OSError: it cannot be told.

    """
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def is_file_at(path: Path, file: FileIdentity | None) -> bool:
    """Whether this is the file that is there now, as far as can be told."""
    try:
        return file_identity(path) == file
    except OSError:
        # Nobody may look into the folder any more: what is open can still be written.
        return True


def copy_runs(source: sqlite3.Connection, target: sqlite3.Connection, run_ids: Iterable[str]) -> None:
    """Copy runs with their trials, one trial at a time; what is there already stays.

    Raises:
        sqlite3.Error: nothing was copied.

    """
    target.execute("BEGIN IMMEDIATE")
    try:
        for run_id in run_ids:
            _copy_rows(source, target, "runs", "run_id", run_id)
            asked = "SELECT id, task_index, trial FROM trials WHERE run_id = ? ORDER BY id"
            for old, task, trial in source.execute(asked, (run_id,)).fetchall():
                _copy_rows(source, target, "trials", "id", old, but="id")
                key = "SELECT id FROM trials WHERE run_id = ? AND task_index = ? AND trial = ?"
                [new] = target.execute(key, (run_id, task, trial)).fetchone()
                _copy_rows(source, target, "results", "trial_id", old, but="trial_id", instead=new)
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
    *,
    but: str = "",
    instead: object = None,
) -> None:
    """Copy the rows of a table in which `key` has this value; the column `but` is left to the target, or becomes `instead`."""
    found = source.execute(f"SELECT * FROM {table} WHERE {key} = ?", (value,))  # noqa: S608  # our own names
    names = [it for it, *_ in found.description]
    rows = [dict(zip(names, row, strict=True)) | ({but: instead} if but else {}) for row in found]
    marks = ", ".join(f":{it}" for it in names)
    target.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({marks})", rows)  # noqa: S608  # see above


_RETRY_PAUSES = (0.01, 0.03, 0.1)
"""In seconds, before a store that was deleted in the wrong moment is opened again."""


class StoreFile:
    """A database for the thread that opened it. Every method raises `StoreError` when it cannot work.

    One that is opened `for_reading` must be there, but need not be writable. One that `may_come_later` is opened once the
    other program that holds it is done, or there is room for it on the disk.
    """

    def __init__(self, path: Path, patience: float, *, for_reading: bool, may_come_later: bool) -> None:
        self.path = path
        self.patience = patience
        """How long to wait for other programs that write, in seconds."""
        self.is_new = False
        """Whether the file was deleted or replaced while we wrote, and what we knew of our runs is in the one there now."""
        self.is_lost = False
        """Whether the file was deleted or replaced, and no other can be written: what is read here is nowhere else."""
        self.connection: sqlite3.Connection
        self._ours: dict[str, None] = {}
        self._file: FileIdentity | None = None
        self._is_open = False
        self._for_reading = for_reading
        self._stack = ExitStack()
        try:
            with translate_errors(self.path):
                self._steadily(self._open)
        except MomentaryError:
            if not may_come_later:
                raise

    def close(self) -> None:
        """Close it; closing twice is harmless."""
        self._stack.close()

    def is_writing(self, run_id: str) -> None:
        """We write this run: what is known of it goes with us when the file is gone."""
        self._ours[run_id] = None

    def rows(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """What is asked for."""
        with translate_errors(self.path):
            if not self._is_open:
                self._steadily(self._open)
            return self.connection.execute(sql, values).fetchall()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of what is written in the block, or nothing of it."""
        with translate_errors(self.path):
            if not self._is_open:
                self._steadily(self._open)
            elif not is_file_at(self.path, self._file):
                self._steadily(self._open_again)
            self.connection.execute(f"PRAGMA busy_timeout = {round(self.patience * 1000)}")
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                # A full disk, for one, has ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")

    def _steadily(self, opening: Callable[[], None]) -> None:
        """Do it again when the file, or its folder, may have been deleted while it was being opened."""
        for pause in () if self._for_reading else _RETRY_PAUSES:
            try:
                opening()
            except (sqlite3.OperationalError, FileNotFoundError) as error:
                if not self._may_be_there_again(error):
                    raise
                time.sleep(pause)
            else:
                return
        opening()

    def _may_be_there_again(self, error: Exception) -> bool:
        if isinstance(error, FileNotFoundError):
            return self.path.parent.parent.is_dir()
        return primary_code(error) in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}

    def _open(self) -> None:
        with ExitStack() as stack:
            if self._for_reading:
                self.connection = self._connected(stack, stack.enter_context(readable_path(self.path)))
            else:
                self._make_folder(parents=True)
                self.connection = self._connected(stack, self.path)
                self._file = file_identity(self.path)
            self._is_open = True
            self._stack = stack.pop_all()

    def _open_again(self) -> None:
        """Go on in the file that is at our path now, after what is known of our runs was written there."""
        if not self.is_lost:
            # The old file goes first: what lies beside the new one may still be that of the old one.
            with ExitStack() as stack:
                aside = self._connected(stack, "")
                copy_runs(self.connection, aside, self._ours)
                self._stack.close()
                self.connection, self._stack, self.is_lost = aside, stack.pop_all(), True
        with ExitStack() as stack:
            # A workspace that was deleted is not made again.
            self._make_folder(parents=False)
            connection = self._connected(stack, self.path)
            copy_runs(self.connection, connection, self._ours)
            self._stack.close()
            self.connection, self._stack, self._file = connection, stack.pop_all(), file_identity(self.path)
            self.is_lost, self.is_new = False, True

    def _connected(self, stack: ExitStack, path: Path | str) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=self.patience, isolation_level=None)
        stack.enter_context(contextlib.closing(connection))
        migrate(connection, self.patience)
        return connection

    def _make_folder(self, *, parents: bool) -> None:
        folder = self.path.parent
        folder.mkdir(parents=parents, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() or not ignore.stat().st_size:  # There was no room for it.
            ignore.write_text("*\n", encoding="utf-8")
