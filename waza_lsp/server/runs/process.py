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
from typing import Any, Protocol

from waza_engine import deathwatch
from waza_engine.goglob import literal
from waza_engine.sessions import kill_session
from waza_engine.starting import start_program

_GRACE_SECONDS = 0.7
_LONGEST_LINE = 64 * 1024 * 1024

_KEPT = "What was finished is kept; run it again, or go on with: waza-lsp run EVAL --resume"

Event = dict[str, Any]


class Request(Protocol):
    """Something that a child process does, telling events."""

    @property
    def directory(self) -> Path | None:
        """Where it is started."""

    def command(self) -> list[str]:
        """Its command line."""

    def stdin(self) -> bytes:
        """What it reads."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What to run: the eval, and the task ids (none: all). `directory` is where the run is started.

    `part_option` is the option that chooses tasks; an experiment's chooses variants.
    """

    eval_path: Path
    tasks: tuple[str, ...] = ()
    executor: str = ""
    model: str = ""
    directory: Path | None = None
    part_option: str = "--task"

    def command(self) -> list[str]:
        """The command line of the run's process."""
        options = [
            *(
                it
                for task in self.tasks
                for it in (self.part_option, literal(task) if self.part_option == "--task" else task)
            )
        ]
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

    def stdin(self) -> bytes:
        """Nothing."""
        return b""


@dataclass(slots=True)
class Runs:
    """The runs that are going on: their processes, and by run id what cancels them."""

    _processes: set[asyncio.subprocess.Process] = field(default_factory=set)
    _cancels: dict[str, asyncio.Event] = field(default_factory=dict)

    async def run(
        self, request: Request, on_event: Callable[[Event], None], cancel: asyncio.Event, token: str = ""
    ) -> Event:
        """Run to the end, or until `cancel` is set; the last event, or one that says why there is none.

        `token` is a name by which it can be cancelled before its id is known. Every start that was told gets its end,
        also when the child is killed. Finished trials are in the store whatever happens here.
        """
        follower = Follower(on_event)
        self._cancels[token] = cancel
        try:
            error = await self._follow(request, follower, cancel)
        except OSError as reason:
            error = f"The run cannot be started: {reason}"
        finally:
            for name in (follower.run_id, token):
                self._cancels.pop(name, None)
        return follower.finished("cancelled" if cancel.is_set() else "error", error)

    async def _follow(self, request: Request, follower: "Follower", cancel: asyncio.Event) -> str:
        """Run the child to its end; what it wrote on stderr."""
        process = await start_program(
            *request.command(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=request.directory,
            limit=_LONGEST_LINE,
        )
        self._processes.add(process)
        stopper = asyncio.create_task(_stop_when(cancel, process))
        errors = asyncio.create_task(_read_all(process.stderr))
        try:
            await _feed(process.stdin, request.stdin())
            async for event in _events(process.stdout):
                follower.take(event)
                self._cancels[follower.run_id] = cancel
            await process.wait()
        finally:
            stopper.cancel()
            end_group(process)
            deathwatch.unwatch(process.pid)
            self._processes.discard(process)
        ended = "" if cancel.is_set() else _how_it_ended(process.returncode)
        return "\n".join(filter(None, [(await errors).strip(), ended]))

    def cancel(self, name: str) -> bool:
        """Have the run with this id or token end; False when there is no such run."""
        cancel = self._cancels.get(name) if name else None
        if cancel is not None:
            cancel.set()
        return cancel is not None

    def end_all(self) -> None:
        """The server ends: so do its runs."""
        for process in self._processes:
            end_group(process)


@dataclass(slots=True)
class Follower:
    """Hands events on and knows which starts have no end yet."""

    on_event: Callable[[Event], None]
    run_id: str = ""
    last: Event = field(default_factory=dict)
    _tasks: dict[str, None] = field(default_factory=dict)
    _trials: dict[tuple[str, int], None] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Follow one event."""
        self.run_id = str(event.get("run_id") or self.run_id)
        self.last = event
        task, trial = str(event.get("task", "")), int(event.get("trial") or 0)
        match event.get("event"):
            case "task_started":
                self._tasks[task] = None
            case "trial_started":
                self._trials[task, trial] = None
            case "trial_finished":
                self._trials.pop((task, trial), None)
            case "task_finished":
                self._tasks.pop(task, None)
            case _:
                pass
        self.on_event(event)

    def finished(self, status: str, error: str) -> Event:
        """The last event; when the child gave none, the ends that are missing are told first."""
        if self.last.get("event") == "run_finished":
            return self.last
        nothing = {"run_id": self.run_id, "score": 0.0, "weighted_score": 0.0}
        ended = "skipped" if status == "cancelled" else "error"
        why = "The run was cancelled" if status == "cancelled" else "The run ended before its time"
        for task, trial in list(self._trials):
            told = {"task": task, "trial": trial, "status": ended, "error": why, "graders": []}
            self.take({"event": "trial_finished", **nothing, **told})
        for task in list(self._tasks):
            self.take({"event": "task_finished", **nothing, "task": task, "status": ended, "error": why})
        self.take({"event": "run_finished", **nothing, "status": status, "error": error})
        return self.last


def _how_it_ended(status: int | None) -> str:
    """What to say of a child that was killed; for one that was not, it is said already."""
    if status is None or status >= 0:
        return ""
    with suppress(ValueError):
        name = signal.Signals(-status).name
        return f"The process was killed ({name}), by the system perhaps for want of memory. {_KEPT}"
    return f"The process was killed (signal {-status}). {_KEPT}"


async def _stop_when(cancel: asyncio.Event, process: asyncio.subprocess.Process) -> None:
    """Ask politely, so that what is finished is kept and reported; then end the whole group."""
    await cancel.wait()
    _signal_group(process, signal.SIGTERM)
    await asyncio.sleep(_GRACE_SECONDS)
    end_group(process)


def end_group(process: asyncio.subprocess.Process) -> None:
    """Kill the process and everything it has started; on Windows, which has no groups, the process."""
    if sys.platform == "win32":
        with suppress(OSError):
            process.kill()
    else:
        kill_session(process.pid)


def _signal_group(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)


async def _feed(stream: asyncio.StreamWriter | None, data: bytes) -> None:
    """Give the child what it reads; one that has ended already needs nothing."""
    if stream is not None:
        with suppress(OSError):
            stream.write(data)
            await stream.drain()
        stream.close()


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
