"""The connection through which a run store is read. Cheap to import: completions read one, too."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_CACHED_KIB = 64
"""How much of a store SQLite holds in memory while it is read, once and by several threads of a server all day long. Its
own 2 MB would leave as much room behind each time, in ever more pieces, as a store grows."""


@contextmanager
def connect_read_only(path: Path, patience: float) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing in the store, and trusts nothing in it; `patience` in seconds.

    Raises:
        sqlite3.Error: there is none, or it is no database, or somebody else holds it for longer than that.

    """
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=patience)) as sql:
        sql.execute("PRAGMA trusted_schema = OFF")
        sql.execute(f"PRAGMA cache_size = -{_CACHED_KIB}")
        yield sql
