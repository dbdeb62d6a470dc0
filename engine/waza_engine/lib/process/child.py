"""Supervise a child process from an event loop, and leave nothing of it behind.

A child leads its own session and is killed when we are. At its end, by whatever way its block is left, its descendants are
killed, our ends of its pipes are closed, and its process id is released. Code without an event loop uses `run`.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, TypeVar

from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.spawn import release, start_program
from waza_engine.lib.system import programs

_T = TypeVar("_T")

_LINE_LIMIT = 1 << 16
_CHUNK = 1 << 16
_EXIT_SECONDS = 1.0
"""How long to wait for the exit status of a killed child before its pipes are closed."""
_SHORTEST_POLL_SECONDS, _LONGEST_POLL_SECONDS = 0.001, 0.02


class OutputLimitError(Exception):
    """A child printed more than it may."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The standard streams of a child, as `subprocess` takes them. `line_limit` bounds a line that we read."""

    stdin: int | IO[bytes] = PIPE
    stdout: int | IO[bytes] = PIPE
    stderr: int | IO[bytes] = DEVNULL
    line_limit: int = _LINE_LIMIT


class Child:
    """A child process. It must be ended, by `end` or by leaving the block of `child`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ending: asyncio.Task[None] | None = None
        self._spares_descendants = False

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the session."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None while the child runs."""
        return self._process.returncode

    @property
    def is_running(self) -> bool:
        """Whether the child has not exited, and `end` was not called."""
        return self.status is None and self._ending is None

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """The pipe to its standard input."""
        return _pipe(self._process.stdin)

    @property
    def stdout(self) -> asyncio.StreamReader:
        """The pipe from its standard output."""
        return _pipe(self._process.stdout)

    @property
    def stderr(self) -> asyncio.StreamReader:
        """The pipe from its standard error."""
        return _pipe(self._process.stderr)

    async def wait(self) -> int:
        """Wait until the child exits, and return its status. Others may still have its pipes open."""
        seconds = _SHORTEST_POLL_SECONDS
        # `Process.wait` would also wait for those others, and there is no event for the exit alone.
        while (status := self.status) is None:
            await asyncio.sleep(seconds)
            seconds = min(2 * seconds, _LONGEST_POLL_SECONDS)
        return status

    async def feed(self, data: bytes) -> None:
        """Write its whole input and close the pipe. A child need not read its input."""
        with contextlib.suppress(OSError):
            self.stdin.write(data)
            await self.stdin.drain()
        self.stdin.close()

    def ask_to_end(self) -> None:
        """Ask the child and its process group to end by themselves."""
        if self.is_running:
            programs.ask_to_end(self.pid)

    def kill(self) -> None:
        """Kill the child and its descendants. `end` is still needed afterwards."""
        if self._ending is None or not self._ending.done():
            kill_session(self.pid)

    def spare_descendants(self) -> None:
        """Let the descendants live when the child has exited by itself."""
        self._spares_descendants = True

    async def end(self, *, grace: float = 0.0) -> None:
        """Kill what is left of the child and its descendants, close its pipes and release it.

        With `grace`, its input is closed first, and it may take that many seconds to exit. A cancel waits until the end
        is complete. A second call waits for the first one.
        """
        if self._ending is None:
            if not grace:
                self._end_session()
            self._ending = asyncio.ensure_future(self._end(grace))
        cancelled: asyncio.CancelledError | None = None
        while not self._ending.done():
            try:
                await asyncio.shield(self._ending)
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    async def _end(self, grace: float) -> None:
        if grace:
            try:
                await self._let_exit(grace)
            finally:
                self._end_session()
        # Closing the pipes reads the exit status, which the event loop's watcher would then miss. So wait for it first.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EXIT_SECONDS):
                await self.wait()
        await release(self._process)

    async def _let_exit(self, seconds: float) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait()

    def _end_session(self) -> None:
        if self.status is None or not self._spares_descendants:
            kill_session(self.pid)
        reaper.unwatch(self.pid)


def _pipe(pipe: _T | None) -> _T:
    if pipe is None:
        raise ValueError("the child was started without this pipe")
    return pipe


async def start_child(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    streams: Streams = Streams(),
) -> Child:
    """Start a child that outlives a block, such as a worker. Call `end` when you are done.

    With `env` None it inherits our environment.

    Raises:
        OSError: the program cannot be started.
        ShortageError: the machine lacks the resources to start it.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    return Child(
        await start_program(
            *command,
            cwd=cwd,
            env=env,
            stdin=streams.stdin,
            stdout=streams.stdout,
            stderr=streams.stderr,
            limit=streams.line_limit,
        )
    )


@asynccontextmanager
async def child(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    streams: Streams = Streams(),
    grace: float = 0.0,
) -> AsyncIterator[Child]:
    """Run a child for as long as the block runs, and end it with `grace` when the block is left.

    Raises:
        OSError: the program cannot be started.
        ShortageError: the machine lacks the resources to start it.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    started = await start_child(command, cwd=cwd, env=env, streams=streams)
    try:
        yield started
    finally:
        await started.end(grace=grace)


async def read_all(stream: asyncio.StreamReader, limit: int) -> bytes:
    """Return the rest of a stream.

    Raises:
        OutputLimitError: it is longer than `limit` bytes.

    """
    parts, size = list[bytes](), 0
    while part := await stream.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise OutputLimitError(f"more than {limit} bytes of output")
    return b"".join(parts)


async def read_tail(stream: asyncio.StreamReader, limit: int) -> bytes:
    """Read a stream to its end and return its last bytes, at most `limit`."""
    parts, size = deque[bytes](), 0
    while part := await stream.read(_CHUNK):
        parts.append(part)
        size += len(part)
        while size - len(parts[0]) >= limit:
            size -= len(parts.popleft())
    return b"".join(parts)[-limit:]
