"""One agent program, run once in a workspace: what it prints, limits on time, nothing left behind."""

import asyncio
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waza_engine.executors.base import ExecutorError
from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.spawn import release, start_program

OUTPUT_LIMIT = 64 << 20
"""How many bytes of what an agent prints are read; the rest is thrown away."""
_TAIL_BYTES = 2000
_PIPE_GRACE_SECONDS = 1.0
_EXIT_POLL_SECONDS = 0.02
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds: for the whole run, and until the first output; 0 of the latter sets no limit."""

    seconds: float
    first_output: float = 0.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How the program ended: its exit status, the end of what it wrote to stderr, or which limit it broke."""

    status: int
    stderr: str
    broken_limit: str = ""


@dataclass(slots=True)
class Lines:
    """Lines of any length, put together from pieces; `on_line` gets them with their line ends."""

    on_line: Callable[[bytes], None]
    _rest: list[bytes] = field(default_factory=list)

    def add(self, piece: bytes) -> None:
        """Take the next piece. Only what it completes is put together, so that one long line costs no more than many."""
        first, *others = piece.split(b"\n")
        self._rest.append(first)
        for it in others:
            self.on_line(b"".join((*self._rest, b"\n")))
            self._rest = [it]

    def end(self) -> None:
        """All is said: a last line without an end counts, too."""
        if last := b"".join(self._rest):
            self.on_line(last)


async def run_agent(
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    stdin: str,
    limits: Limits,
    on_output: Callable[[bytes], object],
) -> Ended:
    """Run the program to its end, or to the first limit it breaks; `on_output` gets what it prints, piece by piece.

    Its whole process group is gone when this returns, also when it is cancelled.

    Raises:
        ExecutorError: it cannot be started.

    """
    try:
        process = await start_program(
            *argv,
            cwd=cwd,
            env=environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ExecutorError(f"The agent '{argv[0]}' cannot be started: {reason}") from error
    try:
        return await _talk(process, stdin, limits, on_output)
    finally:
        await end(process)
        reaper.unwatch(process.pid)


async def end(process: asyncio.subprocess.Process) -> None:
    """Kill the program with its whole group, and let go of its pipes, whoever else holds them open."""
    _kill_group(process)
    # Whoever closes the pipes first asks for the exit status, and takes it away from the event loop's own watcher.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PIPE_GRACE_SECONDS):
            await _exit(process)
    await release(process)


async def _talk(
    process: asyncio.subprocess.Process, stdin: str, limits: Limits, on_output: Callable[[bytes], object]
) -> Ended:
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
                broken = f"no sign of life within {limits.first_output:g} s"
    except TimeoutError:
        broken = f"timed out after {limits.seconds:g} s"
    finally:
        _kill_group(process)
        # What is in the pipes is still read; a descendant that left the group may hold them open for ever.
        await asyncio.wait([reading, errors], timeout=_PIPE_GRACE_SECONDS)
        for it in (reading, errors, feeding, ending):
            it.cancel()
    stderr = errors.result() if errors.done() and not errors.cancelled() else ""
    return Ended(process.returncode or 0, stderr, broken)


async def _exit(process: asyncio.subprocess.Process) -> None:
    """Wait until the program itself has ended: `wait` would also wait for those that hold its pipes open."""
    while process.returncode is None:  # noqa: ASYNC110  # nothing else tells of it
        await asyncio.sleep(_EXIT_POLL_SECONDS)


async def _is_alive(spoke: asyncio.Event, ending: asyncio.Task[None], seconds: float) -> bool:
    """Whether there is output, or an end, within `seconds`; 0 does not wait for it."""
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
    """What is beyond the limit is dropped."""
    total = 0
    while chunk := await stream.read(_CHUNK):
        spoke.set()
        total += len(chunk)
        if total <= OUTPUT_LIMIT:
            on_output(chunk)


async def _tail(stream: asyncio.StreamReader) -> str:
    kept = b""
    while chunk := await stream.read(_CHUNK):
        kept = (kept + chunk)[-_TAIL_BYTES:]
    return kept.decode("utf-8", "replace").strip()


async def _feed(stream: asyncio.StreamWriter, text: str) -> None:
    with contextlib.suppress(OSError):  # an agent need not read its input
        stream.write(text.encode("utf-8", "replace"))
        await stream.drain()
        stream.close()


def _kill_group(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            kill_session(process.pid)
