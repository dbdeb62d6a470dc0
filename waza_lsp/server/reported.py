"""The files that have changed, as the client reports them, for parts that keep what they made of all files.

Such a part takes what it made of the other files as it is, without a look at the disk. The client may miss changes: the
watched patterns (`handlers/notifications.py`) name no task file with another ending, no file outside the workspace and
none behind a link, and a folder may come or go without its files. So the part must call `look` now and then.
"""

import os
import threading
from collections.abc import Iterable
from pathlib import Path

from waza_lsp.server.events import FilesChanged
from waza_lsp.server.workspace import is_only_content
from waza_lsp.snapshot import path_of

LOOK_SECONDS = 3.0
"""How often at most all files are looked at where the client reports changes."""


class ReportedChanges:
    """Collects paths in the event loop, until a thread takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paths: set[str] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has changed since the last `take`, as far as is known."""
        return self._paths is not None and not self._paths

    def look(self) -> None:
        """Take it that any file may have changed."""
        with self._lock:
            self._paths = None

    def add(self, paths: Iterable[Path]) -> None:
        """Add files whose content has changed."""
        with self._lock:
            if self._paths is not None:
                self._paths.update(map(os.path.normpath, paths))

    def add_event(self, event: FilesChanged) -> None:
        """Add the files of an event. Where it leaves open which files are concerned, any may have changed."""
        paths = [
            path for it in event.changes if is_only_content(it) and (path := path_of(it.uri)) is not None
        ]
        if event.is_complete and len(paths) == len(event.changes):
            self.add(paths)
        else:
            self.look()

    def take(self) -> set[str] | None:
        """Return the normal paths of the changed files, and begin anew. None: any file may have changed."""
        with self._lock:
            taken, self._paths = self._paths, set()
        return taken
