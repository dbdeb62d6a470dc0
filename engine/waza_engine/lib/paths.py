"""Paths inside an agent's workspace, safe file system queries, and paths of `file:` URIs.

A workspace path is checked by its text alone, as waza does (docs/reference/waza-graders.md, section 4.3). A `file:` URI
(RFC 8089) may come from Windows, with a drive letter or the host of a network share.
"""

import errno
import ntpath
import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.queries.disk import note_read


class PathError(ValueError):
    """A path that must not be used; the message gives the reason."""


def workspace_path(workspace: Path, path: str, *, is_windows: bool = sys.platform == "win32") -> str:
    r"""Return the absolute, cleaned path of `path` below the workspace. Links are not resolved.

    On Windows `\` separates names, too, and the result has `/` only.

    Raises:
        PathError: the path is absolute, leaves the workspace, or is the workspace itself.

    """
    text = path.replace("\\", "/") if is_windows else path
    if text.startswith("/"):
        raise PathError(f"'{path}' is an absolute path")
    if is_windows and (":" in text or any(map(_is_doubtful, text.split("/")))):
        raise PathError(f"'{path}' is not the name of a file on Windows")
    root = clean_path(os.fspath(workspace.absolute()), is_windows=is_windows)
    result = clean_path(f"{root}/{text}", is_windows=is_windows)
    if not result.startswith(root.rstrip("/") + "/") or result == root:
        raise PathError(f"'{path}' is not inside the workspace")
    return result


def _is_doubtful(part: str) -> bool:
    """Whether Windows might read a name as `..`: it drops blanks and dots at the end."""
    return part not in {"", ".", ".."} and not part.rstrip(". ")


def escape_reason(path: str) -> str | None:
    """Return why a path is outside of every workspace, None if it is not. No workspace needs to exist."""
    try:
        workspace_path(Path("/workspace"), path)
    except PathError as error:
        return str(error)
    return None


def normal_path(path: Path) -> Path:
    """Return the path without `.` and `..`, without resolving links."""
    return Path(os.path.normpath(path))


def clean_path(path: str, *, is_windows: bool = sys.platform == "win32") -> str:
    """Return an absolute path without `.`, `..` and empty parts. Unlike `os.path.normpath` it accepts a NUL.

    A path of Windows keeps its drive or share, which `..` does not leave, and gets `/` as the only separator.
    """
    drive = ""
    if is_windows:
        drive, path = (it.replace("\\", "/") for it in ntpath.splitdrive(path))
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts[-1:] = []
        elif part not in {"", "."}:
            parts.append(part)
    return f"{drive}/{'/'.join(parts)}"


def is_missing(path: str) -> bool:
    """Whether the system answers "not found". False for other errors (not a directory, name too long)."""
    try:
        os.stat(path)  # noqa: PTH116  # pathlib rejects a NUL as well
    except OSError as error:
        return error.errno == errno.ENOENT
    except ValueError:
        return False
    return False


def exists(path: str) -> bool:
    """Whether the path is accessible; links are followed."""
    try:
        os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return True


def is_directory(path: str | Path) -> bool:
    """Whether the path is a directory; links are followed. `Path.is_dir` raises if a name is too long."""
    return os.path.isdir(path)  # noqa: PTH112


def real_path(path: Path) -> Path:
    """Return the path with its links resolved, as far as possible. `Path.resolve` raises for a cycle of links."""
    return Path(os.path.realpath(path))


def file_bytes(path: str | Path, *, anywhere: bool = False) -> bytes | None:
    """Return the bytes of a regular file; None if it is missing or cannot be read.

    Links are followed inside of a repository, with `anywhere` everywhere.
    """
    note_read(Path(path))
    try:
        return regular_bytes(Path(path), anywhere=anywhere)
    except (OSError, ValueError):
        return None


def is_inside(path: Path, folder: Path) -> bool:
    """Return whether `path`, with all links followed, is `folder` or below it."""
    try:
        return real_path(path).is_relative_to(real_path(folder))
    except (OSError, ValueError):
        return False


_DRIVE = re.compile(r"/[A-Za-z]:")


def path_from_uri(uri: str) -> Path | None:
    """Return the path of a `file:` URI, None for other schemes."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    return Path(uri_path(parts.netloc, parts.path, is_windows=sys.platform == "win32"))


def uri_path(host: str, path: str, *, is_windows: bool) -> str:
    """Return the file path for a URI's host and escaped path. The host counts on Windows only."""
    text = unquote(path)
    if not is_windows:
        return text
    if host and host.lower() != "localhost":
        return f"//{host}{text}"
    return text[1:] if _DRIVE.match(text) else text
