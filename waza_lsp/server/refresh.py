"""Ask the client to request lenses, hints or diagnostics again, once for all changes of a moment."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.server.events import Bus, FindingsChanged, HintsChanged, LensesChanged
from waza_lsp.server.transport.client import Client

_PAUSE_SECONDS = 0.3
_LENS_PAUSE_SECONDS = 0.1
_BUSY_PAUSE_SECONDS = 0.5
"""The pause if the last refresh was less than a second ago: a run can change results hundreds of times in a second."""


class _Ability(Protocol):
    @property
    def refresh_support(self) -> bool | None: ...


class Refresh:
    """One kind of data that a client can be asked to request again. Other clients get no message."""

    def __init__(
        self,
        client: Client,
        ability: Callable[[types.WorkspaceClientCapabilities], _Ability | None],
        send: Callable[[], Awaitable[Any]],
        pause: float = _PAUSE_SECONDS,
    ) -> None:
        self._client = client
        self._ability = ability
        self._send = send
        self._pause = pause
        self._waiting: asyncio.Task[None] | None = None
        self._sent = 0.0

    @property
    def is_supported(self) -> bool:
        """Whether the client handles this refresh."""
        workspace = self._client.capabilities.workspace
        ability = self._ability(workspace) if workspace is not None else None
        return ability is not None and bool(ability.refresh_support)

    def soon(self) -> None:
        """Send the refresh after a pause, in which more changes may come."""
        pause = self._pause
        if time.monotonic() - self._sent < 1:
            pause = max(pause, _BUSY_PAUSE_SECONDS)
        if self.is_supported and (self._waiting is None or self._waiting.done()):
            self._waiting = asyncio.get_running_loop().create_task(self._send_after(pause))

    async def _send_after(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self._sent = time.monotonic()
        with suppress(JsonRpcException):
            await self._send()


@dataclass(frozen=True, slots=True)
class Refreshes:
    """The refreshes that the server uses."""

    lenses: Refresh
    """Lenses depend on the results of runs."""
    hints: Refresh
    """Inlay hints depend on other files and on settings."""
    findings: Refresh
    """Pulled diagnostics depend on other files and on settings."""

    @classmethod
    def of(cls, client: Client, bus: Bus) -> "Refreshes":
        """The refreshes for a client."""
        lsp = client.lsp
        found = cls(
            Refresh(
                client,
                lambda workspace: workspace.code_lens,
                lambda: lsp.workspace_code_lens_refresh_async(None),
                _LENS_PAUSE_SECONDS,
            ),
            Refresh(
                client,
                lambda workspace: workspace.inlay_hint,
                lambda: lsp.workspace_inlay_hint_refresh_async(None),
            ),
            Refresh(
                client,
                lambda workspace: workspace.diagnostics,
                lambda: lsp.workspace_diagnostic_refresh_async(None),
            ),
        )
        bus.listen(LensesChanged, lambda _: found.lenses.soon())
        bus.listen(HintsChanged, lambda _: found.hints.soon())
        bus.listen(FindingsChanged, lambda _: found.findings.soon())
        return found
