"""Telling the client to ask again, for what depends on more than the text: once for all changes of a moment."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer

_PAUSE_SECONDS = 0.3


class _Ability(Protocol):
    @property
    def refresh_support(self) -> bool | None: ...


class Refresh:
    """One thing that a client may be told to ask for again; nothing is said to clients that cannot be told."""

    def __init__(
        self,
        ability: Callable[[types.WorkspaceClientCapabilities], _Ability | None],
        tell: Callable[["WazaServer"], Awaitable[object]],
        pause: float = _PAUSE_SECONDS,
    ) -> None:
        self._ability = ability
        self._tell = tell
        self._pause = pause
        self._waiting: asyncio.Task[None] | None = None

    def is_known_to(self, server: "WazaServer") -> bool:
        """Whether the client can be told."""
        workspace = server.client_capabilities.workspace
        ability = self._ability(workspace) if workspace is not None else None
        return ability is not None and bool(ability.refresh_support)

    def soon(self, server: "WazaServer", pause: float | None = None) -> None:
        """Tell it, after `pause` seconds for more changes."""
        pause = self._pause if pause is None else pause
        if self.is_known_to(server) and (self._waiting is None or self._waiting.done()):
            self._waiting = asyncio.get_running_loop().create_task(self._told(server, pause))

    async def _told(self, server: "WazaServer", pause: float) -> None:
        await asyncio.sleep(pause)
        with suppress(JsonRpcException):
            await self._tell(server)


def lens_refresh() -> Refresh:
    """For lenses: they show what runs said."""
    return Refresh(lambda it: it.code_lens, lambda it: it.workspace_code_lens_refresh_async(None), 0.1)


def hint_refresh() -> Refresh:
    """For inlay hints: they depend on other files and on settings."""
    return Refresh(lambda it: it.inlay_hint, lambda it: it.workspace_inlay_hint_refresh_async(None))


def finding_refresh() -> Refresh:
    """For findings that a client asks for itself: they depend on other files and on settings."""
    return Refresh(lambda it: it.diagnostics, lambda it: it.workspace_diagnostic_refresh_async(None))
