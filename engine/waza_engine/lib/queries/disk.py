"""Files and folders on disk as inputs. One place decides when to look at them again.

Inside a look each file is asked for once. Most of the files that checks ask for are missing, and many of those are in one
folder: as long as that folder does not change, none of them can have appeared, so one system call answers for all.
"""

import os
import time
from pathlib import Path
from stat import S_ISDIR
from weakref import WeakValueDictionary

from waza_engine.lib.queries.tracking import Dependency, clock, is_needless, is_tracking, note

Stamp = tuple[int, int, int] | None
"""Modification time, status change time (both in nanoseconds) and size; None if the file is missing or inaccessible."""
_SETTLED_NS = 3_000_000_000
"""A folder that changed more recently may change again without a visible change of its coarse timestamps."""


def stamp(path: Path) -> Stamp:
    """Return a value that changes whenever the file does."""
    try:
        status = os.stat(path)  # noqa: PTH116  # twice as fast, and called at every edit
    except (OSError, ValueError):  # ValueError: the name contains a NUL
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


class FileState(Dependency):
    """The stamp of one file or folder."""

    __slots__ = ("__weakref__", "_folder", "_is_doubtful", "_seen_in", "_settled", "path", "value")

    def __init__(self, path: Path) -> None:
        super().__init__(is_durable=True)
        self.path = path
        self.value: Stamp = None
        self._is_doubtful = False
        """Whether this is a folder that may have changed without a visible change of its stamp."""
        self._seen_in = clock.looked_at
        self._folder: _Folder | None = None
        """The folder of a missing file."""
        self._settled: object = None
        """The state of the folder when the file was found to be missing, if the folder had settled."""
        self._take()

    def refresh(self) -> int:
        """Look at the file, at most once in each look at the disk."""
        look = clock.looked_at
        if self._seen_in != look:
            if self.value is not None or not self._is_still_missing():
                self._take()
            # Last: another thread that asks meanwhile looks as well.
            self._seen_in = look
        return self.changed_at

    def paths(self) -> set[Path]:
        """Return the file itself."""
        return {self.path}

    def _is_still_missing(self) -> bool:
        if self._folder is None:
            self._folder = disk.folder(self.path.parent)
        before, self._settled = self._settled, None
        state = self._folder.state()
        if state is None:
            return True
        if _is_settled(state):
            # Taken before we look for the file: what appears in between is found in the next look.
            self._settled = state
        return state == before

    def _take(self) -> None:
        value: Stamp = None
        is_doubtful = False
        try:
            status = os.stat(self.path)  # noqa: PTH116  # as in `stamp`
        except (OSError, ValueError):
            pass
        else:
            value = status.st_mtime_ns, status.st_ctime_ns, status.st_size
            is_doubtful = S_ISDIR(status.st_mode) and not _is_settled(value)
        if value != self.value or self._is_doubtful:
            # Before the value: another thread that sees the new one must see this, too.
            self.changed_at = clock.now
        self.value, self._is_doubtful = value, is_doubtful


class _Folder:
    """A folder of missing files, asked for at most once in each look."""

    __slots__ = ("__weakref__", "_path", "_seen_in", "_state")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen_in = 0
        self._state: tuple[int, ...] | None = None

    def state(self) -> tuple[int, ...] | None:
        """Return a value that changes when files appear; None if the folder is missing."""
        if self._seen_in != clock.looked_at:
            self._seen_in = clock.looked_at
            try:
                now = os.stat(self._path)  # noqa: PTH116  # as in `stamp`
                self._state = now.st_mtime_ns, now.st_ctime_ns, now.st_ino, now.st_dev
            except (FileNotFoundError, NotADirectoryError):
                self._state = None
            except (OSError, ValueError):
                # Never settled.
                self._state = -1, -1
        return self._state


class _Disk:
    """Knows how often to look: at each question that somebody asks, or at most every `max_age` seconds."""

    def __init__(self) -> None:
        self.max_age = 0.0
        self._looked_at = 0.0
        self._files: WeakValueDictionary[Path, FileState] = WeakValueDictionary()
        self._folders: WeakValueDictionary[Path, _Folder] = WeakValueDictionary()

    def look(self) -> None:
        """Take it that any file may have changed."""
        self._looked_at = time.monotonic()
        clock.looked_at = clock.tick()

    def look_if_due(self) -> None:
        """Look, unless a computation is going on, which sees one state, or the last look is recent enough."""
        if not (is_tracking() or is_needless()) and time.monotonic() - self._looked_at >= self.max_age:
            self.look()

    def file(self, path: Path) -> FileState:
        """Return the input for a file or folder."""
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = FileState(path)
        return known

    def folder(self, path: Path) -> "_Folder":
        """Return what is known of the folder of missing files."""
        known = self._folders.get(path)
        if known is None:
            known = self._folders[path] = _Folder(path)
        return known


def _is_settled(state: tuple[int, ...]) -> bool:
    return 0 <= max(state[:2]) < time.time_ns() - _SETTLED_NS


disk = _Disk()


def note_read(path: Path) -> None:
    """Note that the current computation depends on this file or folder."""
    if is_tracking():
        note(disk.file(path))
