"""The warm grading worker: a child process that grades one entry at a time and may be killed at any moment."""

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from waza_engine import deathwatch
from waza_lsp.server.runs import end_group

_LONGEST_LINE = 64 * 1024 * 1024
_START_SECONDS = 30.0


class WorkerError(Exception):
    """The worker gave no answer: it hung and was killed, or it ended."""


@dataclass(slots=True)
class Worker:
    """A child that is started when it is needed and started again after it was killed."""

    module: str
    seconds: float
    """How long an answer may take; then the worker and all that it has started are killed."""
    _process: asyncio.subprocess.Process | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def warm_up(self, question: dict[str, Any]) -> None:
        """Start the worker and have it answer once, so that the next question is answered quickly."""
        with suppress(WorkerError):
            await self._ask(question, _START_SECONDS)

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer.

        Raises:
            WorkerError: there is none.

        """
        if not self.is_running:
            # What a question has executed is executed once.
            await self.warm_up({**question, "mayExecute": False})
        return await self._ask(question, self.seconds)

    async def ask_cold(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer to the only question that it is asked; the time to start is not counted.

        Raises:
            WorkerError: there is none.

        """
        return await self._ask(question, self.seconds + _START_SECONDS)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def end(self) -> None:
        """Kill it; the next question starts another one."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            end_group(process)
            deathwatch.unwatch(process.pid)

    async def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        async with self._lock:
            try:
                async with asyncio.timeout(seconds):
                    return await self._answered(question)
            except (TimeoutError, OSError, ValueError) as error:
                self.end()
                raise WorkerError(str(error) or f"no answer within {seconds:g} s") from error
            except asyncio.CancelledError:
                # Its answer would be taken for that to the next question.
                self.end()
                raise

    async def _answered(self, question: dict[str, Any]) -> dict[str, Any]:
        if not self.is_running:
            self._process = await self._started()
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise WorkerError("it did not start")
        process.stdin.write(json.dumps(question).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            raise ValueError("it ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            self.module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # A server's own stderr is shown by editors as errors.
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(os.environ),
            start_new_session=True,
            limit=_LONGEST_LINE,
        )
        deathwatch.watch(process.pid)
        return process
