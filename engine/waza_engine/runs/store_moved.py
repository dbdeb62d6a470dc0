"""When the file of a run store is deleted, moved away or replaced while it is open.

Nobody hears of that: on Unix the old file can be written as before, and is gone once it is closed. So who writes looks
whether the file is still the one at its path, and takes what is known of its own runs to the one that is there now.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

File = tuple[int, int]
"""Which file it is, whatever it is called: its device, and its number there."""


def file_at(path: Path) -> File | None:
    """The file that is there now; None when there is none.

    Raises:
        OSError: it cannot be told.

    """
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def is_at(path: Path, file: File | None) -> bool:
    """Whether this is the file that is there now, as far as can be told."""
    try:
        return file_at(path) == file
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
            _copy(source, target, "runs", "run_id", run_id)
            asked = "SELECT id, task_index, trial FROM trials WHERE run_id = ? ORDER BY id"
            for old, task, trial in source.execute(asked, (run_id,)).fetchall():
                _copy(source, target, "trials", "id", old, but="id")
                key = "SELECT id FROM trials WHERE run_id = ? AND task_index = ? AND trial = ?"
                [new] = target.execute(key, (run_id, task, trial)).fetchone()
                _copy(source, target, "results", "trial_id", old, but="trial_id", instead=new)
    except BaseException:
        if target.in_transaction:
            target.execute("ROLLBACK")
        raise
    target.execute("COMMIT")


def _copy(
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
