"""Runs started from the editor: each in a child process and a process group of its own, speaking events.

A run is stopped through its work-done progress (or `waza.cancelRun`), never through the request that started it:
pygls answers a cancelled request at once but lets its coroutine run on.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_GRACE_SECONDS = 0.7
_LONGEST_LINE = 64 * 1024 * 1024

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run: the eval, and the task ids (none: all). `directory` is where the run is started."""

    eval_path: Path
    tasks: tuple[str, ...] = ()
    executor: str = ""
    model: str = ""
    directory: Path | None = None

    def command(self) -> list[str]:
        """The command line of the run's process."""
        options = [*(it for task in self.tasks for it in ("--task", _literal(task)))]
        if self.executor:
            options += ["--executor", self.executor]
        if self.model:
            options += ["--model", self.model]
        return [
            sys.executable,
            "-P",
            "-m",
            "waza_lsp",
            "run",
            str(self.eval_path),
            "--events",
            "jsonl",
            *options,
        ]


def _literal(task: str) -> str:
    r"""A task id as a filter that matches only itself: `*?[\` are escaped as Go's matcher wants it."""
    return "".join("\\" + it if it in "*?[\\" else it for it in task)


@dataclass(slots=True)
class Runs:
    """The runs that are going on, by run id."""

    _processes: dict[str, asyncio.subprocess.Process] = field(default_factory=dict)

    async def run(
        self, request: RunRequest, on_event: Callable[[Event], None], cancel: asyncio.Event
    ) -> Event:
        """Run to the end, or until `cancel` is set; the last event, or one that says why there is none.

        Finished trials are in the store whatever happens here.
        """
        process = await asyncio.create_subprocess_exec(
            *request.command(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=request.directory,
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        stopper = asyncio.create_task(_stop_when(cancel, process))
        errors = asyncio.create_task(_read_all(process.stderr))
        last: Event = {}
        run_id = ""
        try:
            async for event in _events(process.stdout):
                run_id = self._known(event, run_id, process)
                last = event
                on_event(event)
            await process.wait()
        finally:
            stopper.cancel()
            end_group(process)
            self._processes.pop(run_id, None)
        if last.get("event") == "run_finished":
            return last
        status = "cancelled" if cancel.is_set() else "error"
        return {"event": "run_finished", "run_id": run_id, "status": status, "error": (await errors).strip()}

    def cancel(self, run_id: str) -> bool:
        """Ask a run to end; False when there is no such run."""
        process = self._processes.get(run_id)
        if process is None:
            return False
        _signal_group(process, signal.SIGTERM)
        return True

    def end_all(self) -> None:
        """The server ends: so do its runs."""
        for process in self._processes.values():
            end_group(process)

    def _known(self, event: Event, run_id: str, process: asyncio.subprocess.Process) -> str:
        found = str(event.get("run_id") or run_id)
        if found:
            self._processes[found] = process
        return found


async def _stop_when(cancel: asyncio.Event, process: asyncio.subprocess.Process) -> None:
    """Ask politely, so that what is finished is kept and reported; then end the whole group."""
    await cancel.wait()
    _signal_group(process, signal.SIGTERM)
    await asyncio.sleep(_GRACE_SECONDS)
    end_group(process)


def end_group(process: asyncio.subprocess.Process) -> None:
    """Kill the process and everything it has started."""
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


async def _events(stream: asyncio.StreamReader | None) -> AsyncIterator[Event]:
    """The events of a run; a line that is no event is skipped, the run goes on."""
    if stream is None:
        return
    async for line in stream:
        with suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict):
                yield event


async def _read_all(stream: asyncio.StreamReader | None) -> str:
    return (await stream.read()).decode(errors="replace") if stream is not None else ""
