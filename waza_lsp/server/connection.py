"""The connection to the editor, and how it may end without a word: nobody reads any more, or the editor is gone."""

import asyncio
import os
import stat
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

_LOOK_SECONDS = 2.0


class Output:
    """Where messages are written. Once nobody reads them `gone` is called, and the rest goes nowhere."""

    def __init__(self, stream: BinaryIO, gone: Callable[[], None]) -> None:
        self._stream = stream
        self._gone = gone
        self._is_gone = False

    def write(self, data: bytes) -> None:
        if self._is_gone:
            return
        try:
            self._stream.write(data)
            self._stream.flush()
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
