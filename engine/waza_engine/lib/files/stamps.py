"""What tells whether files are as they were, for many files at every edit.

Most files that checks ask for are not there, beside one another: as long as their folder does not change, none of them
can have come.
"""

import time
from collections.abc import Mapping
from pathlib import Path

from waza_engine.lib.files.vfs import Files, State

_SURE_NS = 3_000_000_000
"""A folder that changed so shortly ago may change once more within what its file system takes for the same instant."""
_MANY = 2
_Folder = tuple[int, int, int, int]


class Stamps:
    """The states of files, and of the folders of those that are not there."""

    def __init__(self, files: Files, states: Mapping[Path, State]) -> None:
        self._files = files
        self.states = states
        self._alone = {
            it: then for it, then in states.items() if then is not None or files.is_asked_for_text(it)
        }
        self._missing: dict[Path, list[Path]] = {}
        for it in states.keys() - self._alone.keys():
            self._missing.setdefault(it.parent, []).append(it)
        self._folders: dict[Path, _Folder] = {}
        """As they were when their files were looked for last; not those that had just changed."""

    def changed(self) -> set[Path]:
        """The files that are not as they were."""
        found = {it for it, then in self._alone.items() if self._files.state(it) != then}
        for folder, paths in self._missing.items():
            if len(paths) >= _MANY and self._is_unchanged(folder):
                continue
            found.update(it for it in paths if self._files.state(it) is not None)
        return found

    def _is_unchanged(self, folder: Path) -> bool:
        """Whether nothing can have come into a folder since its files were looked for, which is done now if not."""
        before = self._folders.pop(folder, None)
        try:
            now = folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):
            return False
        state = (now.st_mtime_ns, now.st_ctime_ns, now.st_ino, now.st_dev)
        if 0 <= max(state[:2]) < time.time_ns() - _SURE_NS:
            self._folders[folder] = state
        return state == before
