"""The work-done progress of a run: task n of m, and a way to cancel. Each token is used once.

A run never waits for the client, which may accept the progress late or not at all.
"""

import asyncio
import concurrent.futures
import uuid
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.server.transport.client import Client

_PAUSE_SECONDS = 0.2
"""Between two reports. Clients draw each of them, and a run can have hundreds of events in a second."""


class Progress:
    """Shows progress to clients that support it. Sets `cancel` when the user cancels."""

    def __init__(self, client: Client, message: str | None = None) -> None:
        self.cancel = asyncio.Event()
        self._client = client
        self._token = f"waza-run-{uuid.uuid4().hex[:8]}"
        self._message = message
        self._percentage = 0
        self._is_shown = False
        self._watch: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, title: str) -> None:
        """Ask the client to show the progress."""
        window = self._client.capabilities.window
        if window is not None and window.work_done_progress:
            self._watch = asyncio.create_task(self._show(title))

    async def _show(self, title: str) -> None:
        progress = self._client.lsp.work_done_progress
        try:
            _ = await progress.create_async(self._token)
        except JsonRpcException:
            return  # The client declines.
        begin = types.WorkDoneProgressBegin(
            title, cancellable=True, message=self._message, percentage=self._percentage
        )
        progress.begin(self._token, begin)
        self._is_shown = True
        # asyncio's error comes when the client cancels, and when `end` does. In the second case nobody reads `cancel`.
        with suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
            _ = await asyncio.wrap_future(progress.tokens[self._token])
        self.cancel.set()

    def report(self, message: str | None, percentage: int) -> None:
        """Show how far the work is, at the end of the current pause."""
        self._message, self._percentage = message, percentage
        if self._is_shown and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self._send)

    def _send(self) -> None:
        self._timer = None
        report = types.WorkDoneProgressReport(message=self._message, percentage=self._percentage)
        self._client.lsp.work_done_progress.report(self._token, report)

    def end(self, message: str) -> None:
        """Close the progress and release its token."""
        if self._watch is not None:
            self._watch.cancel()
        if self._timer is not None:
            self._timer.cancel()
        progress = self._client.lsp.work_done_progress
        if self._is_shown:
            progress.end(self._token, types.WorkDoneProgressEnd(message=message))
        progress.tokens.pop(self._token, None)
