"""A program in a terminal with its screen, for editors that no script can drive."""

import fcntl
import math
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import pyte

_ROWS, _COLUMNS = 40, 130
_PATIENCE_SECONDS = 30
_AGAIN_SECONDS = 2


class Terminal:
    """The keyboard and screen of the terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._screen = pyte.Screen(_COLUMNS, _ROWS)
        self._stream = pyte.ByteStream(self._screen)

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def seen(self, text: str) -> str:
        """Wait for a text on the screen and return the screen."""
        return self.until(lambda screen: text in screen, text)

    def until(self, holds: Callable[[str], bool], what: str, keys: str = "") -> str:
        """Wait for a condition on the screen and return the screen.

        Args:
            holds: The condition, of the lines of the screen.
            what: What is waited for, for the message of the failure.
            keys: Typed at once and again each two seconds, for a program that asks its server only after a key.

        """
        busy = min(max(os.getloadavg()[0] / (os.cpu_count() or 1) / 2, 1), 4)  # Others take their share.
        end = time.monotonic() + _PATIENCE_SECONDS * busy
        typed = -math.inf
        while time.monotonic() < end:
            if keys and time.monotonic() - typed >= _AGAIN_SECONDS:
                self.type(keys)
                typed = time.monotonic()
            ready, _, _ = select.select([self._descriptor], [], [], 0.05)
            if ready:
                with suppress(OSError):  # The program has ended.
                    self._stream.feed(os.read(self._descriptor, 65536))
            screen = "\n".join(self._screen.display)
            if holds(screen):
                return screen
        raise AssertionError(f"not seen: {what}\n" + "\n".join(self._screen.display))


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], folder: str) -> Iterator[Terminal]:
    """Start the program; kill it at the end."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(command[0], list(command), dict(environment))  # noqa: S606  # a child with a terminal of its own
    try:
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        yield Terminal(descriptor)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(descriptor)
