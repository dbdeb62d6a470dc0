"""What the database and the disk may say about the run store, in words for the user: what is wrong, where, what to do."""

import contextlib
import errno
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from waza_engine.model.pydantic_messages import error_text
from waza_engine.runs.store.schema import NewerError

_MIN_FREE_BYTES = 1 << 20
"""In bytes: with less than that, what cannot be written does not fit."""

_SHOWN_CHARACTERS = 40
"""Characters before and after one that the store cannot hold."""


class StoreError(Exception):
    """The store cannot be used; the text names the file and says what to do. A run goes on without it."""


class MomentaryError(StoreError):
    """Later the store may be usable, as it is: there may be room on the disk again."""


class BusyError(MomentaryError):
    """Another program holds the store."""


class UnfitError(StoreError):
    """One thing in the store cannot be read, or one thing does not fit into it. The rest can be used."""


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with the store at `path` into a `StoreError`."""
    try:
        yield
    except UnicodeEncodeError as error:
        # Such as the path of a file that another system has named.
        about = error.object[max(0, error.start - _SHOWN_CHARACTERS) : error.end + _SHOWN_CHARACTERS]
        told = f"The run store {path} cannot hold {about!r}, which is not UTF-8, so it is not stored"
        raise UnfitError(f"{told}. Rename what is called so") from error
    except (sqlite3.Error, OSError, ValidationError, zlib.error, ValueError) as error:
        kind = _kind(error, path)
        told = error_text(error).rstrip(".")
        raise kind(f"The run store {path} cannot be used: {told}. {_advice_or_store(error, path)}") from error


def _kind(error: Exception, path: Path) -> type[StoreError]:
    if primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return BusyError
    if _is_full(error, path):
        return MomentaryError
    is_of_store = isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError)
    return StoreError if is_of_store or isinstance(error, OSError) else UnfitError


def primary_code(error: Exception) -> int | None:
    """SQLite's own code of what went wrong, without its details; None when it was not SQLite."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if code is not None else None


def _advice_or_store(error: Exception, path: Path) -> str:
    if isinstance(error, sqlite3.ProgrammingError):
        return "Keep it open until its trials have been looked at"
    return f"{_advice(error, path)}, or name another folder with --store DIR"


def _advice(error: Exception, path: Path) -> str:
    """How to mend it. A store that is whole is never to be deleted, and of a damaged one most can often be read."""
    number = error.errno if isinstance(error, OSError) else None
    code = primary_code(error)
    if isinstance(error, NewerError):
        return "Install that version, or a later one"
    if _is_full(error, path):
        return "Free some space"
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return "Wait until the other program is done"
    if number in {errno.EEXIST, errno.ENOTDIR}:
        return f"Move away what is no folder, and stands where {path.parent} should be"
    if number == errno.ENOENT:
        return f"See that {path.parent.parent} is there"
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM} or number is not None:
        return f"See that {path.parent} can be written"
    return f"Move {path.parent} away to start a new one (sqlite3's '.recover' gets most runs out of a damaged {path.name})"


def _is_full(error: Exception, path: Path) -> bool:
    code = primary_code(error)
    if code == sqlite3.SQLITE_IOERR:
        # Of what lies beside the database SQLite only says that it cannot be written.
        with contextlib.suppress(OSError):
            return shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES
    return code == sqlite3.SQLITE_FULL or (
        isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
    )
