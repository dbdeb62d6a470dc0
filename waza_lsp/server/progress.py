"""A run's work-done progress: n of m tasks, and a way to cancel. A token is used once."""

import asyncio
import concurrent.futures
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_lsp.server.runs import Event

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer


class RunProgress:
    """Shows how far a run is to clients that can show it; sets `cancel` when the user wants it to end."""

    def __init__(self, server: "WazaServer") -> None:
        self.cancel = asyncio.Event()
        self._server = server
        self._token = f"waza-run-{uuid.uuid4().hex[:8]}"
        self._total = 0
        self._done: set[str] = set()
        self._shown = False
        self._watch: asyncio.Task[None] | None = None

    async def begin(self, title: str) -> None:
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        progress = self._server.work_done_progress
        _ = await progress.create_async(self._token)
        progress.begin(self._token, types.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
        self._shown = True
        self._watch = asyncio.create_task(self._watch_for_cancel())

    async def _watch_for_cancel(self) -> None:
        with suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
            _ = await asyncio.wrap_future(self._server.work_done_progress.tokens[self._token])
        self.cancel.set()

    def take(self, event: Event) -> None:
        """Follow one event."""
        match event.get("event"):
            case "run_started":
                self._total = len(event.get("tasks", ()))
            case "task_started":
                self._report(str(event.get("name") or event["task"]))
            case "task_finished":
                self._done.add(str(event["task"]))
            case _:
                pass

    def _report(self, name: str) -> None:
        if self._shown:
            done = len(self._done)
            message = f"{done + 1} of {self._total}: {name}"
            share = 100 * done // max(1, self._total)
            self._server.work_done_progress.report(
                self._token, types.WorkDoneProgressReport(message=message, percentage=share)
            )

    def end(self, message: str) -> None:
        if self._watch is not None:
            self._watch.cancel()
        if self._shown:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message))
            self._server.work_done_progress.tokens.pop(self._token, None)
