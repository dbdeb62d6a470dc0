"""Collect the findings of all eval files of the workspace, open or not."""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.tracking import track_reads
from waza_engine.project.settings import SETTINGS_FILES
from waza_lsp.features.diagnostics import diagnostics_json
from waza_lsp.schema.document_kind import may_be_eval
from waza_lsp.server.documents import Documents
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot, path_of

Found = tuple[str, int | None, list[str]]
"""URI, version (of an open document), findings as JSON."""

_BREATH_SECONDS = 0.001
_PAUSE_SECONDS = 0.5
"""In a large suite every file reads all others: they are not checked again at each key."""
_CHANGED = types.FileChangeType.Changed


class _Checked(NamedTuple):
    """The findings of a file on disk (None: it is not an eval), and the paths that they depend on."""

    items: list[str] | None
    read: frozenset[str]


class WorkspaceDiagnostics:
    """Caches the findings of files on disk, if the client reports changed files.

    `_changed` holds the files and folders that have changed since the last collection. None means that nothing in the
    cache is valid.
    """

    def __init__(self, client: Client, documents: Documents, workspace: Workspace) -> None:
        self._client = client
        self._documents = documents
        self._workspace = workspace
        self._found: dict[Path, _Checked] = {}
        self._changed: set[str] | None = None
        self._edited: dict[str, float] = {}
        """When documents were edited last, by URI. They are not in `_changed` yet."""
        self._lock = threading.Lock()

    def invalidate(self) -> None:
        """Drop all cached findings."""
        self._changed = None

    def files_changed(self, changes: Iterable[types.FileEvent]) -> None:
        """Invalidate findings that depend on these files."""
        roots = self._client.folders
        for change in changes:
            path = path_of(change.uri)
            if path is None or path.name in SETTINGS_FILES:
                self.invalidate()
            elif self._changed is not None:
                self._changed.update(_affected_paths(path, roots, is_there_still=change.type is _CHANGED))

    def text_changed(self, uri: str) -> None:
        """Note an edit of an open document. Other files are checked again when typing pauses."""
        self._edited[uri] = time.monotonic()

    def text_replaced(self, uri: str) -> None:
        """Note that an unsaved document was opened or closed: other files read another text from now on."""
        self._edited[uri] = 0.0

    def collect(self, stop: threading.Event) -> Iterator[Found]:
        """Yield the findings of every eval file below the workspace folders; end early once `stop` is set."""
        is_open: set[Path | None] = set()
        for snapshot in self._documents:
            is_open.add(snapshot.path)
            if snapshot.recognition is not None and not stop.is_set():
                context = self._workspace.context(snapshot)
                yield snapshot.uri, snapshot.version, diagnostics_json(snapshot, context)
        with self._lock:
            for path, checked in self._collect_from_disk(stop):
                if checked.items is not None and path not in is_open:
                    yield path.as_uri(), None, checked.items

    def _collect_from_disk(self, stop: threading.Event) -> Iterator[tuple[Path, _Checked]]:
        self._take_edits()
        changed = self._changed if self._client.watches_files else None
        if changed is not None and not changed:
            yield from self._found.items()
            return
        before = self._found if changed is not None else {}
        # Changes from here on are for the next collection, also in files that this one has checked already.
        self._changed = set()
        found: dict[Path, _Checked] = {}
        files = self._workspace.files.snapshot()
        try:
            for path in self._workspace.known_yaml_files():
                if stop.is_set():
                    return
                known = before.get(path)
                is_valid = known is not None and known.read.isdisjoint(changed or ())
                found[path] = known if known is not None and is_valid else self._check(files, path)
                yield path, found[path]
            self._found, changed = found, set()
        finally:
            since = self._changed
            if changed is None:
                self.invalidate()
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

    def _check(self, files: Files, path: Path) -> _Checked:
        with track_reads() as seen:
            items = self._findings(files, path)
        time.sleep(_BREATH_SECONDS)  # Lets the thread that answers the editor go first.
        # By their texts, not as a set of paths: hashing a path takes longer.
        read = (os.path.normpath(it) for dependency in seen.dependencies for it in dependency.paths())
        return _Checked(items, frozenset((os.path.normpath(path), *read)))

    def _findings(self, files: Files, path: Path) -> list[str] | None:
        """Return the findings of a file; None if it is not an eval or cannot be read."""
        text = files.text(path)
        if text is None or not may_be_eval(text, path):
            return None
        snapshot = Snapshot.of(path.as_uri(), text, None, self._client.encoding)
        if snapshot.recognition is None:
            return None
        return diagnostics_json(snapshot, replace(self._workspace.context(snapshot), files=files))


def _affected_paths(path: Path, roots: list[Path], *, is_there_still: bool) -> Iterator[str]:
    """Yield the paths that a change affects. A file that appears or disappears may add or remove folders."""
    yield str(path)
    if not is_there_still:
        yield str(path.parent)
        yield from (str(it) for it in path.parents if any(root in it.parents for root in roots))
