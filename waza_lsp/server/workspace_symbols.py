"""Answer `workspace/symbol`: the symbols of all files, of which only those that have changed are read again."""

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from waza_engine.lib.queries.disk import disk
from waza_lsp.features.workspace_symbol import Symbol, matching, symbols_of
from waza_lsp.server.events import Bus, DocumentChanged, DocumentClosed, DocumentOpened, FilesChanged
from waza_lsp.server.memory import until_idle
from waza_lsp.server.reported import LOOK_SECONDS, ReportedChanges
from waza_lsp.server.transport.client import Client
from waza_lsp.server.transport.protocol import Json
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot


class WorkspaceSymbols:
    """Keeps the symbols of each file, if the client reports changed files."""

    def __init__(self, client: Client, workspace: Workspace, bus: Bus) -> None:
        self._client = client
        self._workspace = workspace
        self._lock = threading.Lock()
        self._changes = ReportedChanges()
        self._known: dict[Path, Sequence[Symbol]] = {}
        self._dropped: set[Path] = set()
        """The files that are to be read again since the last look began."""
        self._looked_at = 0.0
        """When all files were looked at last."""
        self._looking: asyncio.Task[None] | None = None
        bus.listen(DocumentOpened, lambda event: self._text_changed(event.document))
        bus.listen(DocumentChanged, lambda event: self._text_changed(event.after))
        bus.listen(DocumentClosed, lambda event: self._text_changed(event.document))
        bus.listen(FilesChanged, self._files_changed)

    def _text_changed(self, document: Snapshot) -> None:
        if document.path is not None:
            self._changes.add([document.path])

    def _files_changed(self, event: FilesChanged) -> None:
        self._changes.add_event(event)

    async def find(self, query: str) -> Json:
        """Return the symbols that match a query."""
        stop, watches = threading.Event(), self._client.watches_files
        if not watches:
            self._changes.look()
        try:
            return await asyncio.to_thread(self._find, query, stop)
        finally:
            stop.set()  # Ends the thread of a cancelled request at its next file.
            is_due = time.monotonic() - self._looked_at >= LOOK_SECONDS
            if watches and is_due and self._looking is None:
                self._looking = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        """Find what the client did not report, for the next request."""
        try:
            await until_idle(self._client)
            await asyncio.to_thread(self._read_known_again)
        finally:
            self._looking = None

    def _read_known_again(self) -> None:
        # Requests need not wait: they go on with what is known.
        with self._lock:
            self._dropped = set()
            paths = [*self._known]
        self._look_at_disk()
        files = self._workspace.files_of_folders()
        now = {it: symbols_of(it, files) for it in paths}
        with self._lock:
            # What was reported meanwhile may have been read before.
            self._known |= {it: symbols for it, symbols in now.items() if it not in self._dropped}

    def _look_at_disk(self) -> None:
        self._looked_at = time.monotonic()
        self._workspace.list_again()
        disk.look()

    def _find(self, query: str, stop: threading.Event) -> Json:
        with self._lock:
            changed = self._changes.take()
            if changed is None:
                self._look_at_disk()
            for it in map(Path, changed) if changed is not None else [*self._known]:
                self._known.pop(it, None)
                self._dropped.add(it)
            found = [it.json() for it in matching(query, self._files(stop))]
            self._looked_at = time.monotonic() if changed is None else self._looked_at
            return Json(f"[{','.join(found)}]")

    def _files(self, stop: threading.Event) -> Iterator[tuple[Path, Sequence[Symbol]]]:
        files = self._workspace.files_of_folders()
        for path in self._workspace.known_yaml_files():
            if stop.is_set():
                return
            known = self._known.get(path)
            if known is None:
                known = self._known[path] = symbols_of(path, files)
            yield path, known
