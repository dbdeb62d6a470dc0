"""Errors of the run store. Translates database and disk errors into messages: what is wrong, where, what to do."""

import contextlib
import errno
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from waza_engine.model.pydantic_messages import error_text
from waza_engine.runs.store.connection import ForeignStoreError
from waza_engine.runs.store.schema import NewerError

_MIN_FREE_BYTES = 1 << 20
"""If a write fails and less than this is free, the disk is considered full."""

_SHOWN_CHARACTERS = 40
"""Characters shown on each side of one that the store cannot hold."""


class StoreError(Exception):
    """The store cannot be used; the message names the file and says what to do. A run continues without it."""


class MomentaryError(StoreError):
    """The store may be usable later without changes, for example once the disk has room again."""


class BusyError(MomentaryError):
    """Another program holds the store."""


class UnfitError(StoreError):
    """One record cannot be read or stored. The rest of the store can be used."""


@contextlib.contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate errors about the store at `path` into `StoreError`."""
    try:
        yield
    except UnicodeEncodeError as error:
        # For example a file name from another system.
        excerpt = error.object[max(0, error.start - _SHOWN_CHARACTERS) : error.end + _SHOWN_CHARACTERS]
        message = f"The run store {path} cannot hold {excerpt!r}, which is not UTF-8, so it is not stored"
        raise UnfitError(f"{message}. Rename the file or task with this name") from error
    except (sqlite3.Error, OSError, ValidationError, zlib.error, ValueError, RecursionError) as error:
        kind = _kind(error, path)
        reason = error_text(error).rstrip(".")
        raise kind(
            f"The run store {path} cannot be used: {reason}. {_advice_or_store(error, path)}"
        ) from error


def _kind(error: Exception, path: Path) -> type[StoreError]:
    if primary_code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return BusyError
    if _is_full(error, path):
        return MomentaryError
    is_of_store = isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError)
    return StoreError if is_of_store or isinstance(error, OSError) else UnfitError


def primary_code(error: Exception) -> int | None:
    """Return SQLite's primary result code of an error, or None if it is not SQLite's."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if code is not None else None


def _advice_or_store(error: Exception, path: Path) -> str:
    if isinstance(error, sqlite3.ProgrammingError):
        return "Keep it open until you have read its trials"
    return f"{_advice(error, path)}, or name another folder with --store DIR"


def _advice(error: Exception, path: Path) -> str:
    """Return advice for the user. Never advise deleting a store: most of a damaged one can often be recovered."""
    number = error.errno if isinstance(error, OSError) else None
    code = primary_code(error)
    if isinstance(error, NewerError):
        return "Install that version, or a later one"
    if isinstance(error, ForeignStoreError):
        return error.advice
    if _is_full(error, path):
        return "Free some space"
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return "Wait until the other program is done"
    if number in {errno.EEXIST, errno.ENOTDIR}:
        return f"Move the file away that blocks the folder {path.parent}"
    if number == errno.ENOENT:
        return f"Check that {path.parent.parent} exists"
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM} or number is not None:
        return f"Check that {path.parent} is writable"
    return f"Move {path.parent} away to start a new one (sqlite3's '.recover' gets most runs out of a damaged {path.name})"


def _is_full(error: Exception, path: Path) -> bool:
    code = primary_code(error)
    if code == sqlite3.SQLITE_IOERR:
        # For files beside the database, SQLite reports only an I/O error.
        with contextlib.suppress(OSError):
            return shutil.disk_usage(path.parent).free < _MIN_FREE_BYTES
    return code == sqlite3.SQLITE_FULL or (
        isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
    )
