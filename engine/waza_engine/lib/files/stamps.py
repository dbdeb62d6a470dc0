"""Find out which of many files have changed, with few system calls.

This runs at every edit. Most of the files that checks look for are missing, and many of those are in the same folder:
as long as the folder does not change, none of them can have appeared.
"""

import time
from collections.abc import Mapping
from pathlib import Path

from waza_engine.lib.files.vfs import Files, State

_SETTLED_NS = 3_000_000_000
"""A folder that changed more recently may change again without a visible change of its coarse timestamps."""
_MANY = 2
_Folder = tuple[int, int, int, int]


class Stamps:
    """The states of files, and of the folders of the missing ones."""

    def __init__(self, files: Files, states: Mapping[Path, State]) -> None:
        self._files = files
        self.states = states
        self._single = {
            path: state
            for path, state in states.items()
            if state is not None or files.is_text_dependency(path)
        }
        """Files to look at one by one."""
        self._missing: dict[Path, list[Path]] = {}
        for path in states.keys() - self._single.keys():
            self._missing.setdefault(path.parent, []).append(path)
        self._folders: dict[Path, _Folder] = {}
        """States of the settled folders when their files were last looked for."""

    def changed_files(self) -> set[Path]:
        """Return the files whose state has changed."""
        changed = {path for path, state in self._single.items() if self._files.state(path) != state}
        for folder, paths in self._missing.items():
            if len(paths) >= _MANY and self._is_unchanged(folder):
                continue
            changed.update(it for it in paths if self._files.state(it) is not None)
        return changed

    def _is_unchanged(self, folder: Path) -> bool:
        """Whether no file can have appeared since the last look. Otherwise the caller looks now, and the state is kept."""
        before = self._folders.pop(folder, None)
        try:
            now = folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):
            return False
        state = (now.st_mtime_ns, now.st_ctime_ns, now.st_ino, now.st_dev)
        if 0 <= max(state[:2]) < time.time_ns() - _SETTLED_NS:
            self._folders[folder] = state
        return state == before
