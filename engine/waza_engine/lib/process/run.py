"""Run child processes with a time limit and capped output, and leave none of them behind.

Each child leads its own session, so killing that also kills what the child has started. Children that still run when this
process exits, or when a cancelled run calls `end_all`, are killed.
"""

import atexit
import contextlib
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.shortage import is_shortage, shortage_of
from waza_engine.lib.system.programs import start_flags

OUTPUT_LIMIT = 1_000_000
"""Bytes to keep of each output stream; the rest is read and discarded."""
_PIPE_GRACE_SECONDS = 1.0
_CHUNK = 65_536

_running: set[subprocess.Popen[bytes]] = set()
_running_lock = threading.Lock()  # children are started from several threads


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a child ended. `status` is its exit status, negative for a signal; outputs may be truncated."""

    status: int
    stdout: bytes
    stderr: bytes
    timed_out: bool = False


def run(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    seconds: float,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    output_limit: int = OUTPUT_LIMIT,
) -> ProcessResult:
    """Run `command` without a shell and wait until it and all other users of its output pipes have ended.

    After `seconds` its session is killed. With `cwd` or `env` None it inherits ours.

    Raises:
        OSError: the program cannot be started.
        ShortageError: the machine lacks the resources to start it.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    process = start(command, cwd=cwd, env=env, stderr=subprocess.PIPE)
    outputs = [_Collector(require_pipe(it), output_limit) for it in (process.stdout, process.stderr)]
    threads = [threading.Thread(target=it.collect, daemon=True) for it in outputs]
    threads.append(threading.Thread(target=_feed, args=(require_pipe(process.stdin), stdin), daemon=True))
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        kill_group(process)

    # A thread cannot wait for centuries.
    alarm = threading.Timer(min(seconds, threading.TIMEOUT_MAX), expire)
    alarm.daemon = True
    try:
        for thread in (alarm, *threads):
            thread.start()
        status = process.wait()
        timed_out = expired.is_set()
        for thread in threads:
            # A descendant may hold the pipes open. waza waits for it; we wait until the time is up.
            while thread.is_alive() and not expired.is_set():
                thread.join(0.05)
            thread.join(_PIPE_GRACE_SECONDS)
    finally:
        alarm.cancel()
        end(process)
    return ProcessResult(status, outputs[0].data(), outputs[1].data(), timed_out)


def start(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stderr: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a child in its own session, with pipes to its stdin and stdout. Call `end` when you are done.

    Raises:
        OSError: the program cannot be started.
        ShortageError: the machine lacks the resources to start it.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    environment = reaper.announce(env)
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            start_new_session=True,
            creationflags=start_flags(),
        )
    except (OSError, ValueError) as error:
        reaper.forget(environment)
        if is_shortage(error):
            raise shortage_of(command[0], error) from error
        raise
    with _running_lock:
        if not _running:
            atexit.unregister(end_all)
            atexit.register(end_all)
        _running.add(process)
    reaper.watch(process.pid, environment)
    return process


def require_pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """Return the pipe of a child that this module started with one."""
    assert pipe is not None  # noqa: S101  # for the type checker
    return pipe


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the child's session, and close our ends of its pipes."""
    kill_group(process)
    process.wait()
    reaper.unwatch(process.pid)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()
    with _running_lock:
        _running.discard(process)


def end_all() -> None:
    """End all children that are still running and what they left behind, when a run is cancelled and at exit."""
    with _running_lock:
        children = list(_running)
    for child in children:
        end(child)
    reaper.kill_orphans()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and everything in its session; does nothing if all of it has ended."""
    kill_session(process.pid)


@dataclass(slots=True)
class _Collector:
    """Reads a pipe to its end and keeps at most `limit` bytes."""

    pipe: IO[bytes]
    limit: int
    chunks: list[bytes] = field(default_factory=list)

    def collect(self) -> None:
        left = self.limit
        with contextlib.suppress(OSError, ValueError):  # closed by another thread when the time was up
            while chunk := self.pipe.read(_CHUNK):
                if left > 0:
                    self.chunks.append(chunk[:left])
                    left -= len(chunk)

    def data(self) -> bytes:
        return b"".join(self.chunks)


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):  # a child need not read its input
        view = memoryview(data)
        while view:
            view = view[pipe.write(view) :]
    with contextlib.suppress(OSError, ValueError):
        pipe.close()
