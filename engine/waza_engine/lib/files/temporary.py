"""Temporary folders that do not outlive this process, however it ends: the guard process deletes them."""

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waza_engine.lib.process import reaper

_PREFIX = "waza-lsp-"
INSIDE = "WAZA_LSP_TEMPORARY"
"""An environment variable: the folder for ours, in a process whose parent deletes that folder. It needs no guard."""


def make_folder() -> Path:
    """Create a folder that only this user can access, and return its real path.

    Raises:
        OSError: the folder cannot be created.

    """
    inside = os.environ.get(INSIDE)
    folder = Path(inside or os.path.realpath(tempfile.gettempdir()), _PREFIX + secrets.token_hex(8))
    if inside:
        folder.mkdir(mode=0o700)
        return folder
    # The guard learns of the folder before it exists, so that no kill can leave it behind.
    reaper.watch_path(str(folder))
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        reaper.unwatch_path(str(folder))
        raise
    return folder


def state_folder() -> Path:
    """Return the user's own folder for what this program remembers; it may not exist."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = os.environ.get("XDG_STATE_HOME") or ""
        if not Path(base).is_absolute():
            # The specification of these folders says so. A relative one could be part of a repository.
            base = str(Path.home() / ".local" / "state")
    return Path(base) / "waza-lsp"


def remove_folder(folder: Path) -> None:
    """Delete a folder and its content; files that cannot be deleted stay."""
    shutil.rmtree(folder, ignore_errors=True)
    reaper.unwatch_path(str(folder))


def keep_folder(folder: Path) -> None:
    """Leave the folder to the user: it is not deleted when this process ends."""
    reaper.unwatch_path(str(folder))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Create a folder and delete it at the end of the `with` block.

    Raises:
        OSError: the folder cannot be created.

    """
    folder = make_folder()
    try:
        yield folder
    finally:
        remove_folder(folder)
