"""Waiting for a moment in which nobody asks for anything."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

_PAUSE_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 0.5


async def until_idle(server: "WazaServer") -> None:
    """Wait until nothing has been asked for a moment, for half a second at most: what an editor shows comes first."""
    loop = asyncio.get_running_loop()
    end = loop.time() + _LONGEST_WAIT_SECONDS
    while (left := min(server.protocol.asked_at + _PAUSE_SECONDS, end) - loop.time()) > 0:  # noqa: ASYNC110  # a pause is that nothing comes
        await asyncio.sleep(left)
