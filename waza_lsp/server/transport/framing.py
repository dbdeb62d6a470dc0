"""Read messages from a file descriptor: `Content-Length: N`, an empty line, N bytes of JSON."""

import os
import re
import select

_LENGTH = re.compile(rb"(?:^|\r\n)content-length:[ \t]*(\d+)[ \t]*(?=\r\n|$)", re.IGNORECASE)
_MOST_BYTES = 1 << 16
"""The capacity of a pipe. A larger buffer would be allocated and freed for every message."""


class Frames:
    """A buffer of bytes that are not complete messages yet. Only one thread may read at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bytes = bytearray()

    def read(self) -> bool:
        """Wait for more bytes. Returns False at the end of the input."""
        found = os.read(self._descriptor, _MOST_BYTES)
        self._bytes += found
        return bool(found)

    def is_waiting(self, seconds: float) -> bool:
        """Whether there is input, now or within this time."""
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def wait_to_write(self, descriptor: int) -> bool:
        """Wait until the other descriptor is writable, and read input meanwhile. Returns whether there was any.

        An editor that waits for the server to read may not read what the server writes.
        """
        inputs, has_read = [self._descriptor], False
        while not select.select(inputs, [descriptor], [])[1]:
            if self.read():
                has_read = True
            else:
                inputs = []
        return has_read

    def take(self) -> list[bytes]:
        """Remove and return the bodies of all complete messages."""
        found: list[bytes] = []
        start = 0
        while (head := self._bytes.find(b"\r\n\r\n", start)) >= 0:
            length = _LENGTH.search(self._bytes[start:head])
            body = head + 4
            end = body + (int(length[1]) if length is not None else 0)
            if end > len(self._bytes):
                break
            if length is not None:
                found.append(bytes(self._bytes[body:end]))
            start = end
        del self._bytes[:start]
        return found
