"""The folders that the user trusts, in a file of the user's state folder: nothing in a repository can change it."""

import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from waza_engine.lib.files.safe_read import open_regular
from waza_engine.lib.files.temporary import state_folder
from waza_engine.lib.system.users import is_private

_FILE = "trusted-folders.json"
_MOST_BYTES = 1 << 20


def state_file() -> Path:
    """Return the file with the trusted folders."""
    return state_folder() / _FILE


def trusted_folders() -> list[str]:
    """Return the folders that the user trusts in all editors; none if the file cannot be read or believed."""
    try:
        return _read(state_file())
    except (OSError, RuntimeError, ValueError):
        return []


def is_remembered(folder: Path) -> bool:
    """Whether the user has trusted the folder before, in any editor."""
    return str(folder) in trusted_folders()


def remember(folder: Path) -> None:
    """Trust a folder, given by its real path.

    Raises:
        OSError, RuntimeError: the file cannot be written, or other users could write it.

    """
    _write([*trusted_folders(), str(folder)])


def forget(folder: Path) -> None:
    """Trust a folder no longer. Raises as `remember` does."""
    _write(it for it in trusted_folders() if it != str(folder))


def _read(path: Path) -> list[str]:
    """Return the trusted folders. A file that others could have written or replaced is not believed."""
    if not _is_private(path.parent) or path.is_symlink():
        return []
    with open_regular(path, anywhere=True) as file:
        about = os.fstat(file.fileno())
        if about.st_nlink > 1 or not is_private(about):
            return []
        found = json.loads(file.read(_MOST_BYTES) or b"")
    return [it for it in found if isinstance(it, str)] if isinstance(found, list) else []


def _is_private(folder: Path) -> bool:
    """Whether the folder belongs to this user, and no one else can put files there."""
    about = folder.lstat()
    return stat.S_ISDIR(about.st_mode) and is_private(about)


def _write(folders: Iterable[str]) -> None:
    # Imported late: most sessions write nothing.
    from waza_engine.lib.files.safe_write import replace_inside

    path = state_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private(path.parent):
        raise PermissionError(f"other users can write {path.parent}")
    replace_inside(path, path.parent, [json.dumps([*dict.fromkeys(folders)], indent=1)])
    path.chmod(0o600)
