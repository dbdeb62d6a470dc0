"""The child processes of runs: each in a process group of its own, writing one event per line.

A run is stopped through its work-done progress, `waza.cancelRun`, or `$/cancelRequest` for the request that started it.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from waza_engine.lib.go.glob import literal
from waza_engine.lib.process.child import Child, Streams, child, read_tail

_GRACE_SECONDS = 0.7
_LONGEST_LINE = 64 * 1024 * 1024
_MOST_ERROR_BYTES = 1_000_000

_KEPT = "Finished trials are stored. Run it again, or resume with: waza-lsp run EVAL --resume"


class Request(Protocol):
    """A child process that writes events."""

    @property
    def directory(self) -> Path | None:
        """The directory to start it in."""

    def command(self) -> list[str]:
        """The command line."""

    def stdin(self) -> bytes:
        """The input of the process."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run of an eval, or only of the tasks with these ids. `directory` is where the run starts.

    `part_option` is the option that selects tasks; the one of an experiment selects variants. `trials` is 0 for the
    eval's own number. With a `threshold`, the run goes on until each task is decided (`--until-decided`).
    """

    eval_path: Path
    tasks: tuple[str, ...] = ()
    executor: str = ""
    model: str = ""
    agent_command: str = ""
    agent_format: str = ""
    directory: Path | None = None
    part_option: str = "--task"
    trials: int = 0
    threshold: float | None = None

    @property
    def selects_tasks(self) -> bool:
        """Whether its parts are tasks, not the variants of an experiment."""
        return self.part_option == "--task"

    def command(self) -> list[str]:
        """The command line of the run."""
        options: list[str] = []
        for task in self.tasks:
            options += [self.part_option, literal(task) if self.selects_tasks else task]
        if self.executor:
            options += ["--executor", self.executor]
        if self.model:
            options += ["--model", self.model]
        if self.agent_command:
            options += ["--agent-command", self.agent_command]
        if self.agent_format:
            options += ["--agent-format", self.agent_format]
        if self.trials:
            options += ["--trials", str(self.trials)]
        if self.threshold is not None:
            options += ["--until-decided", "--threshold", str(self.threshold)]
        start = [sys.executable, "-P", "-m", "waza_lsp", "run", str(self.eval_path)]
        return [*start, "--events", "jsonl", *options]

    def stdin(self) -> bytes:
        """No input."""
        return b""


@dataclass(slots=True)
class RunProcesses:
    """The running child processes, and how to cancel a run by its id or token."""

    environment: Callable[[], Mapping[str, str]] = dict
    """The variables that the children get besides ours."""
    _running: set[Child] = field(default_factory=set)
    _cancels: dict[str, asyncio.Event] = field(default_factory=dict)

    async def run(self, request: Request, on_line: Callable[[bytes], None], cancel: asyncio.Event) -> str:
        """Run a child to its end, or until `cancel` is set. Returns its error output, and how it was killed."""
        environment = {**os.environ, **self.environment()}
        streams = Streams(stderr=PIPE, line_limit=_LONGEST_LINE)
        async with child(request.command(), cwd=request.directory, env=environment, streams=streams) as run:
            self._running.add(run)
            stopper = asyncio.create_task(_stop_when(cancel, run))
            errors = asyncio.create_task(read_tail(run.stderr, _MOST_ERROR_BYTES))
            try:
                await run.feed(request.stdin())
                async for line in run.stdout:
                    on_line(line)
                status = await run.wait()
            finally:
                stopper.cancel()
                self._running.discard(run)
        killed = "" if cancel.is_set() else _how_killed(status)
        error_output = (await errors).decode(errors="replace").strip()
        return "\n".join(filter(None, [error_output, killed]))

    def register(self, name: str, cancel: asyncio.Event) -> None:
        """Let a run be cancelled by its id or token."""
        self._cancels[name] = cancel

    def unregister(self, name: str) -> None:
        """Forget the id or token of a run."""
        self._cancels.pop(name, None)

    def cancel(self, name: str) -> bool:
        """Cancel the run with this id or token. Returns whether there is one."""
        cancel = self._cancels.get(name) if name else None
        if cancel is not None:
            cancel.set()
        return cancel is not None

    def end_all(self) -> None:
        """Kill all runs, because the server ends."""
        for run in self._running:
            run.kill()


def _how_killed(status: int) -> str:
    """The message about a child that was killed; "" if it ended by itself."""
    if status >= 0:
        return ""
    with suppress(ValueError):
        name = signal.Signals(-status).name
        return f"The process was killed ({name}), perhaps because the system ran out of memory. {_KEPT}"
    return f"The process was killed (signal {-status}). {_KEPT}"


async def _stop_when(cancel: asyncio.Event, run: Child) -> None:
    """Ask the child to stop, so that it stores and reports finished trials. Then kill it and its descendants."""
    await cancel.wait()
    run.ask_to_end()
    await asyncio.sleep(_GRACE_SECONDS)
    run.kill()
