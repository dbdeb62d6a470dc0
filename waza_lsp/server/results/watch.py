"""Looks every few seconds whether another program has run something: another window, the command line.

It costs a few questions to the file system per open suite. Editors could watch the store for us, but not all can, and
those that do would tell of every write of our own runs.
"""

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

_SECONDS = 3.0
_AGES_SECONDS = 60.0
"""How often lenses are asked for again because their "2 min ago" is not true any more."""
_YOUNG_SECONDS = 3600.0


class StoreWatch:
    """Runs from the first open document on, until the server ends."""

    def __init__(self) -> None:
        self._watching: asyncio.Task[None] | None = None

    def begin(self, server: "WazaServer") -> None:
        """Watch from now on."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(_watch(server))


async def _watch(server: "WazaServer") -> None:
    told = time.monotonic()
    while True:
        await asyncio.sleep(_SECONDS)
        results = server.results
        seen = set()
        for snapshot in server.documents:
            eval_path = results.eval_of(snapshot)
            if eval_path is not None and eval_path not in seen:
                seen.add(eval_path)
                results.look_again(server, snapshot)
        newest = max((it.at for path in seen if (it := results.verdict_of_eval(path))), default=0.0)
        if time.monotonic() - told > _AGES_SECONDS and time.time() - newest < _YOUNG_SECONDS:
            told = time.monotonic()
            server.lens_refresh.soon(server)
