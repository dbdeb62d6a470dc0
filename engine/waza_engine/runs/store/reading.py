"""Reading a run store where nothing can be written: a read-only mount, somebody else's folder, an artifact of CI."""

import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.pydantic_messages import error_text
from waza_engine.runs.store.connection import connect_read_only
from waza_engine.runs.store.errors import StoreError

_BUSY_SECONDS = 1.0
_DATABASE_SUFFIXES = ("", "-wal")
"""The files that make the database: what is in the log is not yet in the file itself."""
_READ_ERRORS = (sqlite3.Error, OSError, zlib.error, ValueError, AttributeError, KeyError, TypeError)
"""What comes of rows that are damaged, or of another version."""


@contextmanager
def readable_path(path: Path) -> Iterator[Path]:
    """The database itself, or a copy for as long as it is read: SQLite has to write beside a database to read it.

    Raises:
        OSError: it cannot be copied.

    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        yield path
        return
    with temporary_folder() as folder:
        for ending in _DATABASE_SUFFIXES:
            source = path.with_name(path.name + ending)
            if not ending or source.exists():
                shutil.copyfile(source, folder / source.name)
        yield folder / path.name


@contextmanager
def open_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing, neither in the store nor beside it, and trusts nothing in it.

    Raises:
        StoreError: it is no database, cannot be copied where it would have to be, or holds something else than the block
            takes it for.

    """
    try:
        with readable_path(path) as there, connect_read_only(there, _BUSY_SECONDS) as sql:
            yield sql
    except _READ_ERRORS as error:
        raise StoreError(f"The run store {path} cannot be read: {error_text(error)}") from error
