"""Paths of a grader inside the agent's workspace: purely by their text, as waza checks them.

See docs/reference/waza-graders.md, section 4.3.

The path of a `file:` address (RFC 8089), also as Windows writes it: drives, and shares on other machines.
"""

import errno
import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from waza_engine.lib.files.read_tracking import note_read
from waza_engine.lib.files.safe_read import regular_bytes


class PathError(ValueError):
    """A path that must not be used; the text says why."""


def in_workspace(workspace: Path, path: str) -> str:
    """The absolute, lexically cleaned place of `path`, strictly below the workspace. Links are not looked at.

    Raises:
        PathError: the path is absolute, leaves the workspace, or is the workspace itself.

    """
    if path.startswith("/"):
        raise PathError(f"'{path}' is an absolute path")
    root = cleaned(os.fspath(workspace.absolute()))
    place = cleaned(f"{root}/{path}")
    if not place.startswith(root.rstrip("/") + "/") or place == root:
        raise PathError(f"'{path}' is not inside the workspace")
    return place


def cleaned(path: str) -> str:
    """An absolute path without `.`, `..` and empty parts; `os.path.normpath` may stop at a NUL."""
    parts: list[str] = []
    for it in path.split("/"):
        if it == "..":
            parts[-1:] = []
        elif it not in {"", "."}:
            parts.append(it)
    return "/" + "/".join(parts)


def escape_reason(path: str) -> str | None:
    """Why a path can be in no workspace, None when it can: what is known before there is a workspace."""
    try:
        in_workspace(Path("/workspace"), path)
    except PathError as error:
        return str(error)
    return None


def is_missing(place: str) -> bool:
    """Whether the system answers "not found". Any other trouble (not a directory, name too long) is not that."""
    try:
        os.stat(place)  # noqa: PTH116  # a text with a NUL is no path for pathlib either
    except OSError as error:
        return error.errno == errno.ENOENT
    except ValueError:
        return False
    return False


def is_there(place: str) -> bool:
    """Whether the place can be looked at; links are followed."""
    try:
        os.stat(place)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return True


def is_directory(place: str | Path) -> bool:
    """Whether a directory stands there, links followed. `Path.is_dir` raises for a name that is too long."""
    return os.path.isdir(place)  # noqa: PTH112


def resolved(path: Path) -> Path:
    """The path without links, as far as they lead anywhere. `Path.resolve` raises for one that leads in a circle."""
    return Path(os.path.realpath(path))


def content(place: str | Path) -> bytes | None:
    """The bytes of the file, links followed; None when it cannot be read, as anything that is no regular file."""
    note_read(Path(place))
    try:
        return regular_bytes(Path(place))
    except (OSError, ValueError):
        return None


def is_inside(path: Path, folder: Path) -> bool:
    """Whether `path`, with all links followed, stands in `folder` or is it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


_DRIVE = re.compile(r"/[A-Za-z]:")


def path_of_address(address: str) -> Path | None:
    """The path; None for an address of another kind."""
    parts = urlsplit(address)
    if parts.scheme != "file":
        return None
    return Path(path_text(parts.netloc, parts.path, is_windows=sys.platform == "win32"))


def path_text(host: str, path: str, *, is_windows: bool) -> str:
    """The path that stands for a host and an escaped path; hosts mean something on Windows only."""
    text = unquote(path)
    if not is_windows:
        return text
    if host and host.lower() != "localhost":
        return f"//{host}{text}"
    return text[1:] if _DRIVE.match(text) else text
