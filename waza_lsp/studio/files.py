"""Read and write the files of the studio's folder. What is outside of it does not exist for the page.

Editing is the person's own act, so it needs no trust. But git executes what is in `.git`, so nothing reads or writes there.
"""

import hashlib
import threading
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_read import TooLargeError, regular_bytes
from waza_engine.lib.files.safe_write import require_inside, write_bytes_atomic
from waza_engine.lib.paths import PathError, is_inside, real_path, workspace_path
from waza_lsp.studio.session import RefusedError

MAX_BYTES = 2_000_000
_WRITING = threading.Lock()
"""Between the comparison of versions and the write, no other tab may write."""


def path_in(folder: Path, name: str) -> Path:
    """Return the path of a file as the page names it: relative to the folder, with slashes.

    Raises:
        RefusedError: the path is outside of the folder, also by a link, or is git's own.

    """
    try:
        path = Path(workspace_path(folder, name))
        name.encode()
    except PathError as error:
        raise RefusedError(403, f"{error}.") from error
    except ValueError:
        raise RefusedError(400, "This is not the name of a file.") from None
    if "\0" in name:
        raise RefusedError(400, "This is not the name of a file.")
    if not is_inside(path, folder):
        raise RefusedError(403, f"'{name}' is a link out of the folder.")
    if is_of_git(path, folder):
        raise RefusedError(403, "The files of git are not shown here.")
    return path


def is_of_git(path: Path, folder: Path) -> bool:
    """Return whether a path in the folder is git's own, also through a link."""
    inside = (it.relative_to(folder).parts for it in (path, real_path(path)) if it.is_relative_to(folder))
    return any(it.casefold() == ".git" for parts in inside for it in parts)


def read_file(folder: Path, name: str) -> dict[str, Any]:
    """Return the text of a file with its version.

    Raises:
        RefusedError: there is no such file in the folder, or it is not a text of at most 2 MB.

    """
    path = path_in(folder, name)
    data = _bytes_of(folder, path, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise RefusedError(415, f"'{name}' is not a UTF-8 text, so it cannot be edited here.") from None
    eol = "\r\n" if "\r\n" in text else "\n"
    return {
        "path": _name_of(folder, path),
        "text": text,
        "version": _version(data),
        "eol": eol,
        "uri": path.as_uri(),
    }


def write_file(
    folder: Path, name: str, text: str, version: str, under_way: str | None = None
) -> dict[str, Any]:
    """Write a file that still has this version; "" means that the file is new. Return the new version.

    The file may also have the text `under_way`: that of a write by the same page, whose answer it could not wait for.

    Raises:
        RefusedError: the file has changed meanwhile, or cannot be written, or is outside of the folder.

    """
    path = path_in(folder, name)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise RefusedError(400, "The text has half a character, which no file can hold.") from None
    if len(data) > MAX_BYTES:
        raise RefusedError(413, f"'{name}' would be larger than 2 MB.")
    with _WRITING:
        try:
            known = _version(_bytes_of(folder, path, name))
        except RefusedError as error:
            if error.status != 404:
                raise
            known = ""
        if known == _version(data):
            return {"version": known}  # Another tab, or this one before a reload, was first.
        if known != version and (under_way is None or known != _version(under_way.encode(errors="replace"))):
            changed = "exists already" if not version else "has changed on disk" if known else "was deleted"
            raise RefusedError(409, f"'{name}' {changed}.")
        try:
            require_inside(path, folder)
            write_bytes_atomic(path, [data])
        except (OSError, ValueError) as error:
            raise RefusedError(403, f"'{name}' cannot be written: {_reason(error)}.") from error
    return {"version": _version(data)}


def _bytes_of(folder: Path, path: Path, name: str) -> bytes:
    try:
        return regular_bytes(path, MAX_BYTES, inside=folder)
    except FileNotFoundError:
        raise RefusedError(404, f"There is no file '{name}'.") from None
    except TooLargeError:
        raise RefusedError(413, f"'{name}' is larger than 2 MB.") from None
    except (OSError, ValueError) as error:
        raise RefusedError(403, f"'{name}' cannot be read: {_reason(error)}.") from error


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _name_of(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "its name is not possible"
