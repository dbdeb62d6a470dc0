"""Keep memory small: one heap for all threads, and garbage collection while the editor is idle."""

import asyncio
import gc
import sys
from contextlib import suppress

from waza_lsp.server.events import Bus, StoreRead
from waza_lsp.server.transport.client import Client

_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h."""
_PAUSE_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 0.5


def share_one_heap() -> None:
    """Make threads that start from now on share the heap of the first one, where the C library is glibc.

    By default each thread gets a heap of its own, so that threads need not wait for each other. Ours wait for Python
    anyway, and each heap keeps the space that its thread once needed: 10 MB in total after a few minutes, growing.
    """
    if sys.platform == "linux":
        # Another C library has no such function, and some builds of Python have no ctypes.
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


async def until_idle(client: Client) -> None:
    """Wait until no message has come for a moment, at most half a second. Visible work comes first."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _LONGEST_WAIT_SECONDS
    while (left := min(client.protocol.last_message_at + _PAUSE_SECONDS, end) - loop.time()) > 0:  # noqa: ASYNC110  # a pause has no event
        await asyncio.sleep(left)


def freeze() -> None:
    """Exclude all existing objects from later garbage collections."""
    gc.freeze()


def collect_rarely() -> None:
    """Make garbage collections rare. Call it before the first message."""
    freeze()
    # Trees live long and hold no cycles, so frequent full collections would only delay answers. But the cycles that
    # completions create (`syntax/cursor/outline.py`) must not pile up for hours.
    gc.set_threshold(10_000, 5, 100)


def collect_start() -> None:
    """Free the garbage of the start."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class IdleCollector:
    """Collects the garbage of runs: pipes, tasks, exceptions, rows of the store.

    Nearly all of it is unreachable once a run has ended. Objects that survived two collections before that would
    otherwise stay for hours.
    """

    def __init__(self, client: Client, bus: Bus) -> None:
        self._client = client
        self._waiting: asyncio.Task[None] | None = None
        bus.listen(StoreRead, self._collect_soon)

    def _collect_soon(self, _: StoreRead) -> None:
        """Collect in the next pause."""
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.get_running_loop().create_task(self._collect())

    async def _collect(self) -> None:
        await until_idle(self._client)
        gc.collect()
