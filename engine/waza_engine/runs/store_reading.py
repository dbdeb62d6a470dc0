"""Reading a run store where nothing can be written: a read-only mount, somebody else's folder, an artifact of CI."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waza_engine.temporary import temporary_folder

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
