"""The findings in all eval files of the workspace, open or not."""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from waza_engine.checking.files import Files
from waza_engine.checking.project import SETTINGS_FILES
from waza_engine.noted_reads import noting
from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.schema.prefilter import may_be_eval
from waza_lsp.snapshot import Snapshot, path_of

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

Found = tuple[str, int | None, list[types.Diagnostic]]
"""URI, version (of an open document), findings."""

_BREATH_SECONDS = 0.001
_PAUSE_SECONDS = 0.5
"""Of a large suite every file looks at every other: that is not gone through again at each key."""
_CHANGED = types.FileChangeType.Changed


class _Checked(NamedTuple):
    """What a file on disk gave (None: it is no eval), and what of the disk had a say in it."""

    items: list[types.Diagnostic] | None
    asked: frozenset[str]


@dataclass(slots=True)
class Survey:
    """Remembers what the files on disk gave, as long as the client tells of changes.

    `_changed` holds the files and folders that have changed since; None means that nothing of what is remembered can
    be relied on.
    """

    _found: dict[Path, _Checked] = field(default_factory=dict)
    _changed: set[str] | None = None
    _edited: dict[str, float] = field(default_factory=dict)
    """Documents that read otherwise since, not in `_changed` yet: when they were edited last, by address."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def forget(self) -> None:
        """All findings may be others now."""
        self._changed = None

    def files_changed(self, changes: Iterable[types.FileEvent], roots: list[Path]) -> None:
        """Findings that depend on these files may be others now; `roots` are the workspace folders."""
        for change in changes:
            path = path_of(change.uri)
            if path is None or path.name in SETTINGS_FILES:
                self.forget()
            elif self._changed is not None:
                self._changed.update(_touched(path, roots, is_there_still=change.type is _CHANGED))

    def text_changed(self, uri: str) -> None:
        """An open document was edited: other files' findings follow when typing pauses. Called at every key."""
        self._edited[uri] = time.monotonic()

    def text_replaced(self, uri: str) -> None:
        """A document that is not what is on disk was opened or closed: others read another text from now on."""
        self._edited[uri] = 0.0

    def documents(self, server: "WazaServer", stop: threading.Event) -> Iterator[Found]:
        """Every eval file below the workspace folders, found while one iterates; ends early once `stop` is set."""
        is_open: set[Path | None] = set()
        for snapshot in server.documents:
            is_open.add(snapshot.path)
            if snapshot.recognised is not None and not stop.is_set():
                yield snapshot.uri, snapshot.version, diagnostics(snapshot, server.world(snapshot))
        with self._lock:
            for path, checked in self._on_disk(server, stop):
                if checked.items is not None and path not in is_open:
                    yield path.as_uri(), None, checked.items

    def _on_disk(self, server: "WazaServer", stop: threading.Event) -> Iterator[tuple[Path, _Checked]]:
        self._take_edits()
        changed = self._changed if server.watches else None
        if changed is not None and not changed:
            yield from self._found.items()
            return
        before = self._found if changed is not None else {}
        # What changes from here on is looked at next time, in files that were checked before it too.
        self._changed = set()
        found: dict[Path, _Checked] = {}
        files = server.files.held()
        try:
            for path in workspace_files(server):
                if stop.is_set():
                    return
                known = before.get(path)
                holds = known is not None and known.asked.isdisjoint(changed or ())
                found[path] = known if known is not None and holds else _checked(server, files, path)
                yield path, found[path]
            self._found, changed = found, set()
        finally:
            since = self._changed
            if changed is None:
                self.forget()
            elif since is not None:
                since.update(changed)

    def _take_edits(self) -> None:
        quiet_since = time.monotonic() - _PAUSE_SECONDS
        for uri, edited_at in list(self._edited.items()):
            if edited_at > quiet_since:
                continue
            del self._edited[uri]
            path, changed = path_of(uri), self._changed
            if path is not None and changed is not None:
                changed.add(os.path.normpath(path))


def _touched(path: Path, roots: list[Path], *, is_there_still: bool) -> Iterator[str]:
    """What looks different after a change. A file that comes or goes may bring or take folders with it."""
    yield str(path)
    if not is_there_still:
        yield str(path.parent)
        yield from (str(it) for it in path.parents if any(root in it.parents for root in roots))


def workspace_files(server: "WazaServer") -> Iterator[Path]:
    """The YAML files below the workspace folders."""
    # Imported late: it brings pathspec, which opening a file does not need.
    from waza_engine.eval_files import eval_files

    folders = [it.absolute() for it in server.folders]
    for folder in folders:
        if not any(it != folder and folder.is_relative_to(it) for it in folders):
            yield from eval_files(folder, server.projects)


def _checked(server: "WazaServer", files: Files, path: Path) -> _Checked:
    with noting() as seen:
        items = _findings(server, files, path)
    time.sleep(_BREATH_SECONDS)  # Lets the thread that answers the editor go first.
    return _Checked(items, frozenset(os.path.normpath(it) for it in (path, *seen.paths)))


def _findings(server: "WazaServer", files: Files, path: Path) -> list[types.Diagnostic] | None:
    """The findings in a file; None when it is no eval, or cannot be read."""
    text = files.text(path)
    if text is None or not may_be_eval(text, path):
        return None
    snapshot = Snapshot.of(path.as_uri(), text, None, server.encoding)
    if snapshot.recognised is None:
        return None
    return diagnostics(snapshot, replace(server.world(snapshot), files=files))
