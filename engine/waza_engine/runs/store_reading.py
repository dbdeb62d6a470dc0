"""Reading a run store where nothing can be written: a read-only mount, somebody else's folder, an artifact of CI."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from waza_engine.temporary import temporary_folder

_BUSY_SECONDS = 1.0
_BESIDE = ("", "-wal")
"""The files that make the database: what is in the log is not yet in the file itself."""


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """The database itself, or a copy for as long as it is read: SQLite has to write beside a database to read it.

    Raises:
        OSError: it cannot be copied.

    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        yield path
        return
    with temporary_folder() as folder:
        for ending in _BESIDE:
            source = path.with_name(path.name + ending)
            if not ending or source.exists():
                shutil.copyfile(source, folder / source.name)
        yield folder / path.name


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing, neither in the store nor beside it, and trusts nothing in it.

    Raises:
        OSError: the store cannot be copied where it would have to be.
        sqlite3.Error: it is no database.

    """
    with (
        readable(path) as there,
        closing(sqlite3.connect(f"{there.as_uri()}?mode=ro", uri=True, timeout=_BUSY_SECONDS)) as sql,
    ):
        sql.execute("PRAGMA trusted_schema = OFF")
        yield sql
