"""The grading worker as the server sees it: a child process that answers one question at a time.

It may be killed at any moment.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.process import reaper
from waza_engine.lib.process.spawn import start_program
from waza_lsp.runnables.runnables import runnables_in
from waza_lsp.server.documents import Documents
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.runs.process import end_group
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot

MODULE = "waza_lsp.server.live.worker"
_LONGEST_LINE = 64 * 1024 * 1024
_START_SECONDS = 30.0


class WorkerError(Exception):
    """The worker gave no answer: it hung and was killed, or it ended."""


class WorkerLostError(WorkerError):
    """The worker ended before it answered, but not because of us: it crashed, or another program killed it."""


@dataclass(slots=True)
class Worker:
    """A child that starts when it is needed, and again after it was killed."""

    module: str
    seconds: float
    """How long an answer may take. After that, the worker and everything that it started are killed."""
    environment: Callable[[], Mapping[str, str]] = dict
    """The variables that the child gets besides ours. When they change, a new child starts."""
    _started_with: Mapping[str, str] = field(default_factory=dict)
    _process: asyncio.subprocess.Process | None = None
    _ends: int = 0
    """How often the worker was ended. A question from before is not sent to the next child."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def warm_up(self, question: dict[str, Any]) -> None:
        """Start the worker and let it answer once, so that the next answer is fast."""
        with suppress(WorkerError):
            await self._ask(question, _START_SECONDS, self._ends)

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of the worker.

        Raises:
            WorkerError: There is no answer.

        """
        ends = self._ends
        try:
            return await self._ask_warm(question, ends)
        except WorkerLostError:
            # The system may have run out of memory. A second worker may survive.
            return await self._ask_warm(question, ends)

    async def ask_cold(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer of a worker that is asked only once. The time to start it does not count.

        Raises:
            WorkerError: There is no answer.

        """
        ends = self._ends
        try:
            return await self._ask(question, self.seconds + _START_SECONDS, ends)
        except WorkerLostError:
            return await self._ask(question, self.seconds + _START_SECONDS, ends)

    async def _ask_warm(self, question: dict[str, Any], ends: int) -> dict[str, Any]:
        if not self.is_running:
            # A question may execute programs only once.
            await self.warm_up({**question, "mayExecute": False})
        return await self._ask(question, self.seconds, ends)

    @property
    def is_running(self) -> bool:
        """Whether there is a child process."""
        return self._process is not None and self._process.returncode is None

    def end(self) -> None:
        """Kill the worker. Its current question gets no answer; the next question starts a new child."""
        self._ends += 1
        self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                end_group(process)
            reaper.unwatch(process.pid)

    async def _ask(self, question: dict[str, Any], seconds: float, ends: int) -> dict[str, Any]:
        async with self._lock:
            try:
                async with asyncio.timeout(seconds):
                    return await self._exchange(question, ends)
            except WorkerLostError:
                self._kill()
                raise
            except (TimeoutError, OSError, ValueError) as error:
                self._kill()
                raise WorkerError(str(error) or f"no answer within {seconds:g} s") from error
            except asyncio.CancelledError:
                # Otherwise its answer would be read as the answer to the next question.
                self._kill()
                raise

    async def _exchange(self, question: dict[str, Any], ends: int) -> dict[str, Any]:
        if self._started_with != self.environment():
            self._kill()
        if ends == self._ends and not self.is_running:
            self._kill()
            self._process = await self._start()
            if ends != self._ends:
                # `end` was called before there was a process to kill.
                self._kill()
        if ends != self._ends:
            raise WorkerError("it was ended")
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise WorkerError("it did not start")
        line = b""
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(json.dumps(question).encode() + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise WorkerLostError("it ended") if self._process is process else WorkerError("it was ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        self._started_with = dict(self.environment())
        return await start_program(
            sys.executable,
            "-P",
            "-m",
            self.module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # Editors show a server's stderr as errors.
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **self._started_with},
            limit=_LONGEST_LINE,
        )


@dataclass(frozen=True, slots=True)
class Questions:
    """Makes questions for the worker, with the texts of the editor."""

    documents: Documents
    ledger: ResultLedger
    workspace: Workspace

    def about(
        self,
        snapshot: Snapshot,
        ask: Literal["grade", "explain", "draft", "audit", "audit page", "tell apart", "keep", "judges"],
        pointer: Pointer,
        *,
        may_execute: bool = False,
    ) -> dict[str, Any]:
        """A question about the item at `pointer` of a file: a grader, or a task to draft graders for.

        An audit is about all of the file.
        """
        path = snapshot.path
        ancestors = [it for it in runnables_in(snapshot) if pointer[: len(it.pointer)] == it.pointer]
        task = next((it.id for it in reversed(ancestors) if it.kind == "task"), "")
        open_texts = {str(it.path): str(it.text) for it in self.documents if it.path and it.form}
        return {
            "ask": ask,
            "path": str(path),
            "eval": str(self.ledger.eval_of(snapshot) or ""),
            "pointer": list(pointer),
            "task": task,
            "dialect": snapshot.form.dialect if snapshot.form is not None else "",
            "texts": {**open_texts, str(path): str(snapshot.text)},
            "processDir": str(self.workspace.process_dir(path)),
            "mayExecute": may_execute,
        }
