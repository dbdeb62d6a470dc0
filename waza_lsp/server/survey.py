"""The findings in all eval files of the workspace, open or not."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.schema.prefilter import may_be_eval
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

Found = tuple[str, int | None, list[types.Diagnostic]]
"""URI, version (of an open document), findings."""

_BREATH_SECONDS = 0.001


@dataclass(slots=True)
class Survey:
    """Remembers what the files on disk gave as long as the client would have told of changes.

    `_found` is complete for `_generation` of the server.
    """

    _found: dict[Path, list[types.Diagnostic]] = field(default_factory=dict)
    _generation: int = -1
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def documents(self, server: "WazaServer", stop: threading.Event) -> Iterator[Found]:
        """Every eval file below the workspace folders, found while one iterates; ends early once `stop` is set."""
        is_open: set[Path | None] = set()
        for snapshot in server.documents:
            is_open.add(snapshot.path)
            if snapshot.recognised is not None and not stop.is_set():
                yield snapshot.uri, snapshot.version, diagnostics(snapshot, server.world(snapshot))
        with self._lock:
            for path, items in self._on_disk(server, stop):
                if path not in is_open:
                    yield path.as_uri(), None, items

    def _on_disk(
        self, server: "WazaServer", stop: threading.Event
    ) -> Iterator[tuple[Path, list[types.Diagnostic]]]:
        if server.watches and self._generation == server.generation:
            yield from self._found.items()
            return
        generation, found = server.generation, {}
        for path in workspace_files(server):
            if stop.is_set():
                return
            items = _checked(server, path)
            if items is not None:
                found[path] = items
                yield path, items
        self._found, self._generation = found, generation


def workspace_files(server: "WazaServer") -> Iterator[Path]:
    """The YAML files below the workspace folders."""
    # Imported late: it brings pathspec, which opening a file does not need.
    from waza_engine.eval_files import eval_files

    folders = [it.absolute() for it in server.folders]
    for folder in folders:
        if not any(it != folder and folder.is_relative_to(it) for it in folders):
            yield from eval_files(folder, server.projects)


def _checked(server: "WazaServer", path: Path) -> list[types.Diagnostic] | None:
    """The findings in a file; None when it is no eval, or cannot be read."""
    text = server.files.text(path)
    if text is None or not may_be_eval(text, path):
        return None
    snapshot = Snapshot.of(path.as_uri(), text, None, server.encoding)
    if snapshot.recognised is None:
        return None
    items = diagnostics(snapshot, server.world(snapshot))
    time.sleep(_BREATH_SECONDS)  # Lets the thread that answers the editor go first.
    return items
