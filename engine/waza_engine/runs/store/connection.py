"""Open a run store read-only. Kept apart because completions need it and it must be cheap to import."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_CACHED_KIB = 64
"""SQLite's page cache per connection. With its default of 2 MB, a server that opens stores all day in several threads
fragments its memory and keeps growing."""


@contextmanager
def connect_read_only(path: Path, patience: float) -> Iterator[sqlite3.Connection]:
    """Provide a read-only connection that does not trust the file's schema. `patience` is in seconds.

    Raises:
        sqlite3.Error: the file is missing or not a database, or another program holds it for too long.

    """
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=patience)) as sql:
        sql.execute("PRAGMA trusted_schema = OFF")
        sql.execute(f"PRAGMA cache_size = -{_CACHED_KIB}")
        yield sql
