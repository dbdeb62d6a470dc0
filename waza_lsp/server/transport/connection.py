"""Write to the editor, and notice when it has gone: its end of a pipe is closed, or its process has ended."""

import asyncio
import os
import select
import stat
import sys
import threading
from collections.abc import Callable

from waza_engine.lib.system.programs import exists

_POLL_SECONDS = 2.0
_ATOMIC_BYTES = getattr(select, "PIPE_BUF", 512)


class Output:
    """Writes messages. When the editor no longer reads them, `gone` is called and the rest is dropped.

    `ready` waits until a pipe accepts at least one atomic write. Without it, each write blocks until it is complete.
    """

    def __init__(
        self, descriptor: int, gone: Callable[[], None], ready: Callable[[int], None] | None = None
    ) -> None:
        self._descriptor = descriptor
        self._gone = gone
        self._ready = ready
        self._is_gone = False

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._is_gone:
                if self._ready is not None:
                    self._ready(self._descriptor)
                    rest = rest[os.write(self._descriptor, rest[:_ATOMIC_BYTES]) :]
                else:
                    rest = rest[os.write(self._descriptor, rest) :]
        except (OSError, ValueError):
            self._is_gone = True
            self._gone()

    def close(self) -> None:
        """Do nothing: the stream closes with the process."""


def once(then: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls `then` once, however often and from whichever thread it is called."""
    first = threading.Lock()

    def call() -> None:
        if first.acquire(blocking=False):
            then()

    return call


def when_unread(descriptor: int, then: Callable[[], None]) -> None:
    """Call `then` once the reading end of a pipe is closed. Call this in the event loop."""
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        # This end never has input. It becomes readable when the other end is closed.
        asyncio.get_running_loop().add_reader(descriptor, then)


def when_closed(descriptor: int, then: Callable[[], None]) -> None:
    """Call `then` from a thread once the writing end of a pipe is closed, however busy the event loop is."""
    if not hasattr(select, "poll"):
        return
    closed = select.poll()
    closed.register(descriptor, 0)  # The end is reported without being requested.

    def wait() -> None:
        closed.poll()
        then()

    threading.Thread(target=wait, name="closed", daemon=True).start()


def when_gone(pid: int | None, then: Callable[[], None]) -> None:
    """Call `then` once the process `pid` has ended. Call this in the event loop.

    A process that does not exist now is ignored, because the id may be from another container. Windows closes the input
    instead.
    """
    if not pid or pid < 0 or sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    try:
        if hasattr(os, "pidfd_open"):
            # Unlike the id, this also reports an editor that has become a zombie process.
            loop.add_reader(os.pidfd_open(pid), then)
            return
    except ProcessLookupError:
        return
    except OSError:
        pass  # This container does not allow it.
    if exists(pid):
        _poll(loop, pid, then)


def _poll(loop: asyncio.AbstractEventLoop, pid: int, then: Callable[[], None]) -> None:
    if exists(pid):
        loop.call_later(_POLL_SECONDS, _poll, loop, pid, then)
    else:
        then()
