"""The door to run stores: a store may come with a repository, so nothing in it or about it is trusted.

Kept apart because completions need it and it must be cheap to import.
"""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from waza_engine.lib.files.safe_read import MAX_RECORD_BYTES, open_regular
from waza_engine.lib.paths import is_inside, real_path
from waza_engine.lib.system.users import is_trusted_owner
from waza_engine.project.store_location import FOLDER
from waza_engine.runs.store.schema import TABLES, VERSION

_CACHED_KIB = 64
"""SQLite's page cache per connection. With its default of 2 MB, a server that opens stores all day in several threads
fragments its memory and keeps growing."""
_WAL_BYTE = 19
"""The byte of a database that says how it is read; 2 is WAL."""
_SIDE_FILES = ("-wal", "-shm", "-journal")
_HIDDEN = frozenset([2, 3])
"""`PRAGMA table_xinfo`: columns that the file's own expressions compute."""


class ForeignStoreError(sqlite3.DatabaseError):
    """The file is not a store of this user, or no store at all. `advice` says what to do."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


@contextmanager
def connect_read_only(path: Path, patience: float, *, briefly: bool = False) -> Iterator[sqlite3.Connection]:
    """Provide a read-only connection that does not trust the file. `patience` is in seconds.

    SQLite creates a log and an index beside a database to read it, unless it may assume that nothing changes. So a
    reader that is done in a moment (`briefly`) assumes that if no log exists: then no program has the store open.

    Raises:
        ForeignStoreError: the file is not a run store of this user.
        sqlite3.Error: the file is missing or not a database, or another program holds it for too long.

    """
    require_own_files(path)
    is_at_rest = briefly and not has_log(path) and _writes_log(path)
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if is_at_rest else ''}"
    with closing(sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None)) as sql:
        harden(sql)
        sql.execute(f"PRAGMA cache_size = -{_CACHED_KIB}")
        require_our_schema(sql)
        yield sql


@contextmanager
def connect(path: Path | str, patience: float) -> Iterator[sqlite3.Connection]:
    """Provide a connection for writing. A new file can be accessed by its user only; "" is a database in memory.

    Raises:
        ForeignStoreError: the file is not a run store of this user.
        OSError: the file cannot be created.
        sqlite3.Error: the file cannot be opened.

    """
    if isinstance(path, Path):
        require_own_files(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with suppress(FileExistsError):
            os.close(os.open(path, flags, 0o600))
    with closing(sqlite3.connect(path, timeout=patience, isolation_level=None)) as sql:
        harden(sql)
        require_our_schema(sql)
        yield sql


def _writes_log(path: Path) -> bool:
    """Whether SQLite would create a log to read the database. It does not for other kinds of journal, only for WAL."""
    with open_regular(path, anywhere=True) as file:
        return file.read(_WAL_BYTE + 1)[_WAL_BYTE:] == b"\x02"


def has_log(path: Path) -> bool:
    """Whether a log beside the database has content, or a program may be writing."""
    for ending in ("-wal", "-journal"):
        try:
            if path.with_name(path.name + ending).lstat().st_size:
                return True
        except (FileNotFoundError, NotADirectoryError):
            continue
    return path.with_name(path.name + "-shm").exists() and path.with_name(path.name + "-wal").exists()


def harden(sql: sqlite3.Connection) -> None:
    """Let the file's schema call no functions, and no value be larger than a record."""
    sql.execute("PRAGMA trusted_schema = OFF")
    sql.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD_BYTES)


def require_own_files(path: Path) -> None:
    """Check that the database and the files beside it are regular files of this user, not links.

    As for git's `safe.directory`, files of root count as the user's own, and after `sudo` those of the caller.

    Raises:
        ForeignStoreError: they are not.

    """
    folder = path.parent
    if folder.name == FOLDER and folder.is_symlink() and not is_inside(folder, folder.parent):
        advice = f"Replace the link by a folder, or name its target with --store {real_path(folder)}"
        raise ForeignStoreError("its folder is a link that leads out of the workspace", advice)
    for ending in ("", *_SIDE_FILES):
        file = path.with_name(path.name + ending)
        try:
            about = file.lstat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        if stat.S_ISLNK(about.st_mode):
            raise ForeignStoreError(f"{file.name} is a link", "Replace the link by the file")
        if not stat.S_ISREG(about.st_mode):
            raise ForeignStoreError(f"{file.name} is not a regular file", f"Move {file} away")
        if not is_trusted_owner(about):
            raise ForeignStoreError(
                f"{file.name} belongs to another user ({about.st_uid})",
                f"If you trust it, copy {folder} with 'cp -r' to make it yours",
            )


def require_our_schema(sql: sqlite3.Connection) -> None:
    """Check that the database has the tables of a run store and nothing that acts on its own.

    Raises:
        ForeignStoreError: it has something else.
        sqlite3.Error: the file is not a database.

    """
    [(version,)] = sql.execute("PRAGMA user_version")
    for kind, name, table, text in sql.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master"
    ).fetchall():
        is_known = table in TABLES or version > VERSION or str(name).startswith("sqlite_")
        is_virtual = str(text).upper().startswith("CREATE VIRTUAL")
        if kind not in {"table", "index"} or not is_known or is_virtual:
            raise strange(f"it has the {kind} {str(name)[:40]!r}")
    for table in TABLES:
        if any(it[6] in _HIDDEN for it in sql.execute(f"PRAGMA table_xinfo({table})")):
            raise strange(f"its table {table!r} computes columns")


def strange(what: str) -> ForeignStoreError:
    """Return the error for something that only a forged or damaged store has."""
    return ForeignStoreError(f"{what}, which no run store has", "Move the file away to start a new one")
