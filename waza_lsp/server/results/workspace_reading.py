"""Reading the results of all evals of a workspace, for the test view."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from waza_lsp.server.documents import Documents
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.results.reader import read_changed_results
from waza_lsp.server.transport.client import Client
from waza_lsp.snapshot import Snapshot

_PAUSE_SECONDS = 3.0
"""The pause after looking at the recordings of all evals."""


class WorkspaceReading:
    """Reads in the background what is new in the store, one time after the other."""

    def __init__(self, client: Client, documents: Documents, ledger: ResultLedger) -> None:
        self._client = client
        self._documents = documents
        self._ledger = ledger
        self._wanted: dict[Path, Snapshot] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self, evals: Mapping[Path, Snapshot]) -> None:
        """Read what is new about these evals, at once or after the reading that goes on."""
        self._wanted = {**self._wanted, **evals}
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._read())

    async def _read(self) -> None:
        await self._client.is_started.wait()
        ledger = self._ledger
        while self._wanted:
            evals, self._wanted = self._wanted, {}
            opened = evals.keys() & {ledger.eval_of(it) for it in self._documents}
            for path in opened:
                ledger.read_again(evals[path])
            # Files that are not open are not worth a task and a thread each: a workspace may have thousands.
            known = {it: ledger.stamps_of(it) for it in evals.keys() - opened}
            for eval_path, found in await asyncio.to_thread(
                read_changed_results, known, self._client.encoding
            ):
                ledger.merge(eval_path, found)
                await asyncio.sleep(0)
            await asyncio.sleep(_PAUSE_SECONDS)
