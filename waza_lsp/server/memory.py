"""When Python looks for garbage in circles: seldom by itself, and when nobody waits for an answer."""

import asyncio
import gc
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


_ARENA_MAX = -8
"""`M_ARENA_MAX` of glibc's malloc.h."""


def one_heap() -> None:
    """Have threads that are started from now on share the heap of the first one, where the C library is glibc.

    It would give each a heap of its own, so that they need not wait for each other. Ours wait for Python anyway, and each
    of their heaps keeps the room that a thread once needed in it: 10 MB together after a few minutes, and more every hour.
    """
    if sys.platform == "linux":
        # Another C library has no such function, or Python none to call it with.
        with suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


_PAUSE_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 0.5


async def until_idle(server: "WazaServer") -> None:
    """Wait until nothing has been asked for a moment, for half a second at most: what an editor shows comes first."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _LONGEST_WAIT_SECONDS
    while (left := min(server.protocol.asked_at + _PAUSE_SECONDS, end) - loop.time()) > 0:  # noqa: ASYNC110  # a pause is that nothing comes
        await asyncio.sleep(left)


def keep_all() -> None:
    """What there is by now stays: it is not looked through again."""
    gc.freeze()


def look_rarely() -> None:
    """Called before the first message."""
    keep_all()
    # Trees live long and hold no cycles: looking through all of them often would only make people wait. But the circles
    # of completions (`syntax/outline.py`) should not pile up for hours.
    gc.set_threshold(10_000, 5, 100)


def forget_start() -> None:
    """Take away what the start has left behind, for which nobody has looked yet."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Leftovers:
    """Takes away what runs leave behind: pipes, tasks, exceptions, what was read of the store.

    Nearly all of it is unreachable once a run has ended. What the collector has looked at twice before that, it would
    look at again only after hours.
    """

    def __init__(self) -> None:
        self._waiting: asyncio.Task[None] | None = None

    def soon(self, server: "WazaServer") -> None:
        """Do so in the next pause."""
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.get_running_loop().create_task(_collect(server))


async def _collect(server: "WazaServer") -> None:
    await until_idle(server)
    gc.collect()
