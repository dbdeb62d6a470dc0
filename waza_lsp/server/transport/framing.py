"""Messages as they come in on a file descriptor: `Content-Length: N`, an empty line, N bytes of JSON."""

import os
import re
import select

_LENGTH = re.compile(rb"(?:^|\r\n)content-length:[ \t]*(\d+)[ \t]*(?=\r\n|$)", re.IGNORECASE)
_MOST = 1 << 16
"""As much as a pipe holds: of a larger one the room is made and given back for every message."""


class Frames:
    """Bytes that were read and not yet taken as messages. Read from one thread at a time."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bytes = bytearray()

    def read(self) -> bool:
        """Wait for more bytes; False when no more will come."""
        found = os.read(self._descriptor, _MOST)
        self._bytes += found
        return bool(found)

    def is_waiting(self, seconds: float) -> bool:
        """Whether there is something to read, now or within a time."""
        return bool(select.select([self._descriptor], [], [], seconds)[0])

    def wait_to_write(self, descriptor: int) -> bool:
        """Wait until something can be written there, and read what comes meanwhile; whether anything did.

        Who waits for us to read may not read what we have to write.
        """
        inputs, has_read = [self._descriptor], False
        while not select.select(inputs, [descriptor], [])[1]:
            if self.read():
                has_read = True
            else:
                inputs = []
        return has_read

    def take(self) -> list[bytes]:
        """The bodies of all messages that are complete."""
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
