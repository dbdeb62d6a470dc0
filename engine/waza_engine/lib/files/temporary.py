"""Temporary folders that do not outlive us, however we end: the guard of our children deletes what we left behind."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waza_engine.lib.process import reaper

_PREFIX = "waza-lsp-"


def make_folder() -> Path:
    """A new folder that only this user can look into, by its real path.

    Raises:
        OSError: it cannot be made.

    """
    folder = Path(os.path.realpath(tempfile.gettempdir()), _PREFIX + secrets.token_hex(8))
    # Told before it is there: there is no moment at which a kill would leave it.
    reaper.watch_path(str(folder))
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        reaper.unwatch_path(str(folder))
        raise
    return folder


def remove_folder(folder: Path) -> None:
    """Delete a folder with all that is in it; what cannot be deleted stays."""
    shutil.rmtree(folder, ignore_errors=True)
    reaper.unwatch_path(str(folder))


def keep_folder(folder: Path) -> None:
    """It is the user's from now on."""
    reaper.unwatch_path(str(folder))


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for as long as the block goes on.

    Raises:
        OSError: it cannot be made.

    """
    folder = make_folder()
    try:
        yield folder
    finally:
        remove_folder(folder)
