"""The warm grading worker: a child process that grades one entry at a time and may be killed at any moment."""

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from waza_engine import deathwatch
from waza_engine.findings import Pointer
from waza_engine.starting import start_program
from waza_lsp.schema.runnables import Runnable
from waza_lsp.server.runs.process import end_group
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in

if TYPE_CHECKING:
    from waza_lsp.server.session import WazaServer


_LONGEST_LINE = 64 * 1024 * 1024
_START_SECONDS = 30.0


class WorkerError(Exception):
    """The worker gave no answer: it hung and was killed, or it ended."""


class WorkerLostError(WorkerError):
    """It ended before it answered, and not because of us: somebody has killed it, or it has crashed."""


@dataclass(slots=True)
class Worker:
    """A child that is started when it is needed and started again after it was killed."""

    module: str
    seconds: float
    """How long an answer may take; then the worker and all that it has started are killed."""
    _process: asyncio.subprocess.Process | None = None
    _ends: int = 0
    """How often it was ended: a question of before is not asked of the next child."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def warm_up(self, question: dict[str, Any]) -> None:
        """Start the worker and have it answer once, so that the next question is answered quickly."""
        with suppress(WorkerError):
            await self._ask(question, _START_SECONDS, self._ends)

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer.

        Raises:
            WorkerError: there is none.

        """
        ends = self._ends
        try:
            return await self._ask_warm(question, ends)
        except WorkerLostError:
            # The system may have needed its memory; another one may be spared.
            return await self._ask_warm(question, ends)

    async def ask_cold(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer to the only question that it is asked; the time to start is not counted.

        Raises:
            WorkerError: there is none.

        """
        ends = self._ends
        try:
            return await self._ask(question, self.seconds + _START_SECONDS, ends)
        except WorkerLostError:
            return await self._ask(question, self.seconds + _START_SECONDS, ends)

    async def _ask_warm(self, question: dict[str, Any], ends: int) -> dict[str, Any]:
        if not self.is_running:
            # What a question has executed is executed once.
            await self.warm_up({**question, "mayExecute": False})
        return await self._ask(question, self.seconds, ends)

    @property
    def is_running(self) -> bool:
        """Whether there is a child to ask."""
        return self._process is not None and self._process.returncode is None

    def end(self) -> None:
        """Kill it; what it is asked now has no answer, the next question starts another one."""
        self._ends += 1
        self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                end_group(process)
            deathwatch.unwatch(process.pid)

    async def _ask(self, question: dict[str, Any], seconds: float, ends: int) -> dict[str, Any]:
        async with self._lock:
            try:
                async with asyncio.timeout(seconds):
                    return await self._answered(question, ends)
            except WorkerLostError:
                self._kill()
                raise
            except (TimeoutError, OSError, ValueError) as error:
                self._kill()
                raise WorkerError(str(error) or f"no answer within {seconds:g} s") from error
            except asyncio.CancelledError:
                # Its answer would be taken for that to the next question.
                self._kill()
                raise

    async def _answered(self, question: dict[str, Any], ends: int) -> dict[str, Any]:
        if ends == self._ends and not self.is_running:
            self._kill()
            self._process = await self._started()
            if ends != self._ends:
                # Before there was something to kill.
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

    async def _started(self) -> asyncio.subprocess.Process:
        return await start_program(
            sys.executable,
            "-P",
            "-m",
            self.module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # A server's own stderr is shown by editors as errors.
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LONGEST_LINE,
        )


def question(
    server: "WazaServer",
    snapshot: Snapshot,
    path: Path,
    ask: Literal["grade", "explain", "draft"],
    pointer: Pointer,
    *,
    may_execute: bool = False,
) -> dict[str, Any]:
    """A question about the thing at `pointer`: a grader, or a task to draft graders for."""
    around = [it for it in runnables_in(snapshot) if pointer[: len(it.pointer)] == it.pointer]
    task = next((it.id for it in reversed(around) if it.kind == "task"), "")
    open_texts = {str(it.path): str(it.text) for it in server.documents if it.path and it.form}
    return {
        "ask": ask,
        "path": str(path),
        "eval": str(server.results.eval_of(snapshot) or ""),
        "pointer": list(pointer),
        "task": task,
        "dialect": snapshot.form.dialect if snapshot.form is not None else "",
        "texts": {**open_texts, str(path): str(snapshot.text)},
        "processDir": str(server.process_dir(path)),
        "mayExecute": may_execute,
    }


_PATIENCE_SECONDS = 2.0
"""How long the menu of actions may wait. A worker that is still starting is ready the next time."""
_asking: set[asyncio.Task[list[dict[str, Any]]]] = set()


async def drafts_for(server: "WazaServer", snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
    """The drafts for a task; none when nothing was recorded, or the answer does not come in time."""
    eval_path = server.results.eval_of(snapshot)
    if eval_path is None or not server.results.is_recorded(eval_path, task.id):
        return []
    asked = asyncio.create_task(_asked(server, snapshot, task))
    _asking.add(asked)
    asked.add_done_callback(_asking.discard)
    # Not cancelled: that would cost the worker its life.
    done, _ = await asyncio.wait({asked}, timeout=_PATIENCE_SECONDS)
    return asked.result() if done else []


async def _asked(server: "WazaServer", snapshot: Snapshot, task: Runnable) -> list[dict[str, Any]]:
    path = snapshot.path
    if path is None:
        return []
    try:
        answer = await server.live.worker.ask(question(server, snapshot, path, "draft", task.pointer))
    except WorkerError as error:
        server.log(f"No graders could be drafted for {path}: {error}")
        return []
    drafts: list[dict[str, Any]] = answer.get("drafts", [])
    return drafts
