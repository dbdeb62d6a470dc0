"""When Python looks for garbage in circles: seldom by itself, and when nobody waits for an answer."""

import asyncio
import gc
from typing import TYPE_CHECKING

from waza_lsp.server.idle import until_idle

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer


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
