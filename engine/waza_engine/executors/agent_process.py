"""Run one agent program in a workspace: read its output, enforce time limits, leave no process behind."""

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.executors.base import ExecutorError
from waza_engine.lib.process.child import Child, Streams, read_tail, start_child
from waza_engine.lib.process.sandbox import confined

LONGEST_LINE = 8 << 20
"""A longer line of output is discarded."""
_TAIL_BYTES = 2000
_PIPE_GRACE_SECONDS = 1.0
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program to start. In a sandbox, it can change only the folders `writable`."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    writable: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits: for the whole run, and until the first output (0: no limit)."""

    seconds: float
    first_output: float = 0.0


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How the program ended: its exit status, the tail of stderr, and which limit it exceeded."""

    status: int
    stderr: str
    broken_limit: str = ""


@dataclass(slots=True)
class Lines:
    """Assembles lines of any length from pieces; `on_line` gets them with their line ends."""

    on_line: Callable[[bytes], None]
    _rest: list[bytes] = field(default_factory=list)
    _length: int = 0

    def add(self, piece: bytes) -> None:
        """Take the next piece. A line is joined only when complete, so one long line costs no more than many short ones."""
        first, *others = piece.split(b"\n")
        self._keep(first)
        for other in others:
            self._finish(b"\n")
            self._keep(other)

    def end(self) -> None:
        """Handle the end of the output: a last line without a line end counts too."""
        if self._length:
            self._finish(b"")

    def _keep(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > LONGEST_LINE:
            self._rest = []
        else:
            self._rest.append(part)

    def _finish(self, line_end: bytes) -> None:
        if self._length <= LONGEST_LINE:
            self.on_line(b"".join((*self._rest, line_end)))
        self._rest, self._length = [], 0


@asynccontextmanager
async def agent(program: Program, streams: Streams) -> AsyncIterator[Child]:
    """Run an agent program while the block runs.

    Raises:
        ExecutorError: the program cannot be started.

    """
    try:
        command = confined(
            program.argv, cwd=program.cwd, environment=program.environment, writable=program.writable
        )
        started = await start_child(command, cwd=program.cwd, env=program.environment, streams=streams)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        # The program was there when the run started.
        raise ExecutorError(
            f"The agent '{program.argv[0]}' cannot be started: {reason}",
            infrastructure=isinstance(error, OSError),
        ) from error
    try:
        yield started
    finally:
        await started.end()


async def run_agent(
    program: Program, stdin: str, limits: Limits, on_output: Callable[[bytes], object]
) -> ProcessEnd:
    """Run the program until it ends or exceeds a limit; `on_output` gets its output piece by piece.

    Raises:
        ExecutorError: the program cannot be started.

    """
    async with agent(program, Streams(stderr=PIPE)) as child:
        return await _talk(child, stdin, limits, on_output)


async def _talk(child: Child, stdin: str, limits: Limits, on_output: Callable[[bytes], object]) -> ProcessEnd:
    spoke = asyncio.Event()
    reading = asyncio.create_task(_read(child.stdout, spoke, on_output))
    errors = asyncio.create_task(read_tail(child.stderr, _TAIL_BYTES))
    feeding = asyncio.create_task(child.feed(stdin.encode("utf-8", "replace")))
    ending = asyncio.create_task(child.wait())
    broken = ""
    try:
        async with asyncio.timeout(limits.seconds):
            if await responds(spoke, ending, limits.first_output):
                await ending
            else:
                broken = f"no output within {limits.first_output:g} s"
    except TimeoutError:
        broken = f"timed out after {limits.seconds:g} s"
    finally:
        child.kill()
        # Read what is left in the pipes, but not for ever: a descendant outside the group may hold them open.
        await asyncio.wait([reading, errors], timeout=_PIPE_GRACE_SECONDS)
        for task in (reading, errors, feeding, ending):
            task.cancel()
    stderr = errors.result() if errors.done() and not errors.cancelled() else b""
    return ProcessEnd(child.status or 0, stderr.decode("utf-8", "replace").strip(), broken)


async def responds(seen: asyncio.Event, work: "asyncio.Task[Any]", seconds: float) -> bool:
    """Whether the agent shows activity, or its work ends, within `seconds`; 0 does not wait."""
    if not seconds:
        return True
    seeing = asyncio.create_task(seen.wait())
    try:
        done, _ = await asyncio.wait([seeing, work], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        seeing.cancel()
    return bool(done)


async def _read(
    stream: asyncio.StreamReader, spoke: asyncio.Event, on_output: Callable[[bytes], object]
) -> None:
    while chunk := await stream.read(_CHUNK):
        spoke.set()
        on_output(chunk)
