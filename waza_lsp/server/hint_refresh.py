"""Telling the client to ask for inlay hints again: they depend on other files and on settings."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer

_PAUSE_SECONDS = 0.3


class HintRefresh:
    """One question for all changes of a moment; none to clients that cannot be told."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None

    def soon(self, server: "WazaServer") -> None:
        workspace = server.client_capabilities.workspace
        able = workspace.inlay_hint if workspace is not None else None
        is_waiting = self._running is not None and not self._running.done()
        if able is not None and able.refresh_support and not is_waiting:
            self._running = asyncio.create_task(_refresh(server))


async def _refresh(server: "WazaServer") -> None:
    await asyncio.sleep(_PAUSE_SECONDS)
    with suppress(JsonRpcException):
        await server.workspace_inlay_hint_refresh_async(None)
