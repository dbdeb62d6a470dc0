"""A run's work-done progress: n of m tasks, and a way to cancel. A token is used once.

Nothing waits for the client: a run goes on while the client has not yet agreed to show it, and when it never does.
"""

import asyncio
import concurrent.futures
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from waza_lsp.server.runs.process import Event

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


class RunProgress:
    """Shows how far a run is to clients that can show it; sets `cancel` when the user wants it to end."""

    def __init__(self, server: "WazaServer") -> None:
        self.cancel = asyncio.Event()
        self._server = server
        self._token = f"waza-run-{uuid.uuid4().hex[:8]}"
        self._tasks = 0
        self._trials = 1
        self._done_tasks: set[str] = set()
        self._done_trials = 0
        self._current = ""
        self._shown = False
        self._watch: asyncio.Task[None] | None = None

    def begin(self, title: str) -> None:
        """Ask the client to show it."""
        window = self._server.client_capabilities.window
        if window is not None and window.work_done_progress:
            self._watch = asyncio.create_task(self._show(title))

    async def _show(self, title: str) -> None:
        progress = self._server.work_done_progress
        try:
            _ = await progress.create_async(self._token)
        except JsonRpcException:
            return  # The client would rather not.
        begin = types.WorkDoneProgressBegin(
            title, cancellable=True, message=self._message(), percentage=self._share()
        )
        progress.begin(self._token, begin)
        self._shown = True
        # That of asyncio comes when the client cancels, and when `end` does: then nobody looks any more.
        with suppress(concurrent.futures.CancelledError, asyncio.CancelledError):
            _ = await asyncio.wrap_future(progress.tokens[self._token])
        self.cancel.set()

    def take(self, event: Event) -> None:
        """Follow one event."""
        match event.get("event"):
            case "run_started":
                self._tasks = len(event.get("tasks", ()))
                self._trials = max(1, int(event.get("trials") or 1))
            case "task_started":
                self._current = str(event.get("name") or event["task"])
            case "trial_finished":
                self._done_trials += 1
            case "arm" if event["told"].get("event") == "trial_finished":
                self._done_trials += 1
            case "task_finished":
                self._done_tasks.add(str(event["task"]))
            case _:
                return
        self._report()

    def _report(self) -> None:
        if self._shown:
            report = types.WorkDoneProgressReport(message=self._message(), percentage=self._share())
            self._server.work_done_progress.report(self._token, report)

    def _message(self) -> str | None:
        if not self._current:
            return None
        number = min(len(self._done_tasks) + 1, self._tasks)
        return f"{number} of {self._tasks}: {self._current}"

    def _share(self) -> int:
        return min(100, 100 * self._done_trials // max(1, self._tasks * self._trials))

    def end(self, message: str) -> None:
        """The run is over; the token is used up."""
        if self._watch is not None:
            self._watch.cancel()
        if self._shown:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd(message=message))
        self._server.work_done_progress.tokens.pop(self._token, None)
