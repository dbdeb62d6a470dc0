"""Frame the messages of the protocol: `Content-Length: N`, an empty line, N bytes of JSON."""

import os
import re
import select
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader

# A longer number is not a length.
_LENGTH = re.compile(rb"(?:^|\r\n)content-length:[ \t]*(\d{1,12})[ \t]*(?=\r\n|$)", re.IGNORECASE)
_END_OF_HEAD = b"\r\n\r\n"
_MOST_BYTES = 1 << 16
"""The capacity of a pipe. A larger buffer would be allocated and freed for every message."""


class FramingError(ValueError):
    """A message has no length, or is too long."""


def frame(body: bytes) -> bytes:
    """Return a message with its head."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def bodies_in(stream: "StreamReader", most_bytes: int) -> AsyncIterator[bytes]:
    """Yield the bodies of all messages of a stream.

    Raises:
        FramingError: a message has no length, or is longer than `most_bytes`.
        EOFError: the stream ends inside a body.
        LimitOverrunError: a head is longer than the stream's limit.

    """
    while True:
        try:
            head = await stream.readuntil(_END_OF_HEAD)
        except EOFError:
            return
        length = _length_in(head.removesuffix(_END_OF_HEAD))
        if length is None or length > most_bytes:
            raise FramingError(f"the length of a message is {length}, at most {most_bytes}")
        yield await stream.readexactly(length)


def _length_in(head: bytes | bytearray) -> int | None:
    found = _LENGTH.search(head)
    return int(found[1]) if found is not None else None


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
        while (head := self._bytes.find(_END_OF_HEAD, start)) >= 0:
            length = _length_in(self._bytes[start:head])
            body = head + len(_END_OF_HEAD)
            end = body + (length or 0)
            if end > len(self._bytes):
                break
            if length is not None:
                found.append(bytes(self._bytes[body:end]))
            start = end
        del self._bytes[:start]
        return found
