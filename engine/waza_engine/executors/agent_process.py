"""Run one agent program in a workspace: read its output, enforce time limits, leave no process behind."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.executors.base import ExecutorError
from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.sandbox import confined
from waza_engine.lib.process.spawn import release, start_program

LONGEST_LINE = 8 << 20
"""A longer line of output is discarded."""
_TAIL_BYTES = 2000
_PIPE_GRACE_SECONDS = 1.0
_EXIT_POLL_SECONDS = 0.02
_CHUNK = 1 << 16


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


async def run_agent(
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    stdin: str,
    limits: Limits,
    on_output: Callable[[bytes], object],
    writable: Sequence[Path] = (),
) -> ProcessEnd:
    """Run the program until it ends or exceeds a limit; `on_output` gets its output piece by piece.

    In a sandbox, the program can change only the folders `writable`. The whole process group is gone when this returns, also after a cancellation.

    Raises:
        ExecutorError: the program cannot be started.

    """
    try:
        process = await start_program(
            *confined(argv, cwd=cwd, environment=environment, writable=writable),
            cwd=cwd,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        # The program was there when the run started.
        raise ExecutorError(
            f"The agent '{argv[0]}' cannot be started: {reason}", infrastructure=isinstance(error, OSError)
        ) from error
    try:
        return await _talk(process, stdin, limits, on_output)
    finally:
        await end(process)
        reaper.unwatch(process.pid)


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the program with its process group and close its pipes, even if another process has them open."""
    kill_session(process.pid)
    # Closing the pipes reads the exit status, which the event loop's watcher would then miss. So wait for it first.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_GRACE_SECONDS):
            await _exit(process)
    await release(process)


async def _talk(
    process: asyncio.subprocess.Process, stdin: str, limits: Limits, on_output: Callable[[bytes], object]
) -> ProcessEnd:
    assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018  # for the type checker
    spoke = asyncio.Event()
    reading = asyncio.create_task(_read(process.stdout, spoke, on_output))
    errors = asyncio.create_task(_tail(process.stderr))
    feeding = asyncio.create_task(_feed(process.stdin, stdin))
    ending = asyncio.create_task(_exit(process))
    broken = ""
    try:
        async with asyncio.timeout(limits.seconds):
            if await _is_alive(spoke, ending, limits.first_output):
                await ending
            else:
                broken = f"no output within {limits.first_output:g} s"
    except TimeoutError:
        broken = f"timed out after {limits.seconds:g} s"
    finally:
        kill_session(process.pid)
        # Read what is left in the pipes, but not for ever: a descendant outside the group may hold them open.
        await asyncio.wait([reading, errors], timeout=_PIPE_GRACE_SECONDS)
        for task in (reading, errors, feeding, ending):
            task.cancel()
    stderr = errors.result() if errors.done() and not errors.cancelled() else ""
    return ProcessEnd(process.returncode or 0, stderr, broken)


async def _exit(process: asyncio.subprocess.Process) -> None:
    """Wait until the program has ended. `process.wait` would also wait for others that hold its pipes open."""
    while process.returncode is None:  # noqa: ASYNC110  # there is no event for it
        await asyncio.sleep(_EXIT_POLL_SECONDS)


async def _is_alive(spoke: asyncio.Event, ending: asyncio.Task[None], seconds: float) -> bool:
    """Whether the program prints something or ends within `seconds`; 0 does not wait."""
    if not seconds:
        return True
    speaking = asyncio.create_task(spoke.wait())
    try:
        done, _ = await asyncio.wait([speaking, ending], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        speaking.cancel()
    return bool(done)


async def _read(
    stream: asyncio.StreamReader, spoke: asyncio.Event, on_output: Callable[[bytes], object]
) -> None:
    while chunk := await stream.read(_CHUNK):
        spoke.set()
        on_output(chunk)


async def _tail(stream: asyncio.StreamReader) -> str:
    tail = b""
    while chunk := await stream.read(_CHUNK):
        tail = (tail + chunk)[-_TAIL_BYTES:]
    return tail.decode("utf-8", "replace").strip()


async def _feed(stream: asyncio.StreamWriter, text: str) -> None:
    with contextlib.suppress(OSError):  # an agent need not read its input
        stream.write(text.encode("utf-8", "replace"))
        await stream.drain()
        stream.close()
