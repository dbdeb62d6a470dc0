"""Check every few seconds whether another program, such as the command line, has run an eval.

This costs a few file system calls per open suite. Editors could watch the store for us, but not all can, and those
that do would report every write of our own runs.
"""

import asyncio
import time
from pathlib import Path

from waza_engine.lib.queries.disk import Stamp
from waza_engine.project.store_location import REVIEWS, default_store_dir, file_state, recording_sources
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import Bus, DocumentOpened, LensesChanged
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.transport.client import Client

_SECONDS = 3.0
_AGES_SECONDS = 60.0
"""How often lenses are refreshed because their "2 min ago" is no longer true."""
_YOUNG_SECONDS = 3600.0


class StoreWatch:
    """Runs from the first open document until the server ends."""

    def __init__(self, client: Client, documents: Documents, ledger: ResultLedger, bus: Bus) -> None:
        self._client = client
        self._documents = documents
        self._ledger = ledger
        self._bus = bus
        self._watching: asyncio.Task[None] | None = None
        self._states: dict[Path, tuple[Stamp, ...]] = {}
        bus.listen(DocumentOpened, self._start)

    def _start(self, _: DocumentOpened) -> None:
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        refreshed = time.monotonic()
        while True:
            await asyncio.sleep(_SECONDS)
            evals = set()
            for snapshot in self._documents:
                eval_path = self._ledger.eval_of(snapshot)
                if eval_path is not None and eval_path not in evals:
                    evals.add(eval_path)
                    if self._may_have_changed(eval_path):
                        self._ledger.read_again(snapshot)
            verdicts = [self._ledger.verdict_of_eval(it) for it in evals]
            newest = max((it.at for it in verdicts if it is not None), default=0.0)
            if time.monotonic() - refreshed > _AGES_SECONDS and time.time() - newest < _YOUNG_SECONDS:
                refreshed = time.monotonic()
                self._bus.publish(LensesChanged())

    def _may_have_changed(self, eval_path: Path) -> bool:
        """Whether an eval's results may be others than at the last look: without a thread, and without the store."""
        store = default_store_dir(eval_path)
        state = tuple(map(file_state, (*recording_sources(eval_path, store), store / REVIEWS)))
        before, self._states[eval_path] = self._states.get(eval_path), state
        # A client that does not watch files does not report a recording that is edited in place.
        is_known = self._client.watches_files and bool(self._ledger.stamps_of(eval_path))
        return state != before or not is_known
