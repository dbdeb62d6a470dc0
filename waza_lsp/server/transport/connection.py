"""The connection to the editor, and how it may end without a word: nobody reads any more, or the editor is gone."""

import asyncio
import os
import select
import stat
import sys
import threading
from collections.abc import Callable

_LOOK_SECONDS = 2.0
_AT_ONCE = getattr(select, "PIPE_BUF", 512)


class Output:
    """Where messages are written. Once nobody reads them `gone` is called, and the rest goes nowhere.

    `ready` waits until as much as a pipe takes at once can be written; without it the system waits until all is.
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
                    rest = rest[os.write(self._descriptor, rest[:_AT_ONCE]) :]
                else:
                    rest = rest[os.write(self._descriptor, rest) :]
        except (OSError, ValueError):
            self._is_gone = True
            self._gone()

    def close(self) -> None:
        """The stream is closed with the process."""


def once(then: Callable[[], None]) -> Callable[[], None]:
    """What does something the first time that it is called, from whichever thread, and nothing after that."""
    first = threading.Lock()

    def called() -> None:
        if first.acquire(blocking=False):
            then()

    return called


def when_unread(descriptor: int, then: Callable[[], None]) -> None:
    """Call `then` once nobody can read any more what is written into a pipe. To be called in the event loop."""
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        # Nothing can be read from this end: it is awake when the other one is closed.
        asyncio.get_running_loop().add_reader(descriptor, then)


def when_closed(descriptor: int, then: Callable[[], None]) -> None:
    """Call `then`, in a thread, once nobody can write any more what is read from a pipe: however busy the loop is."""
    if not hasattr(select, "poll"):
        return
    closed = select.poll()
    closed.register(descriptor, 0)  # The end is told of unasked.

    def wait() -> None:
        closed.poll()
        then()

    threading.Thread(target=wait, name="closed", daemon=True).start()


def when_gone(pid: int | None, then: Callable[[], None]) -> None:
    """Call `then` once the process `pid` has ended. To be called in the event loop.

    A process that is not there now is not waited for: it may be counted in another container. Windows closes our input.
    """
    if not pid or pid < 0 or sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    try:
        if hasattr(os, "pidfd_open"):
            # Unlike its number, this also tells of an editor that nobody has waited for.
            loop.add_reader(os.pidfd_open(pid), then)
            return
    except ProcessLookupError:
        return
    except OSError:
        pass  # Not allowed in this container.
    if _is_there(pid):
        _look_again(loop, pid, then)


def _look_again(loop: asyncio.AbstractEventLoop, pid: int, then: Callable[[], None]) -> None:
    if _is_there(pid):
        loop.call_later(_LOOK_SECONDS, _look_again, loop, pid, then)
    else:
        then()


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
