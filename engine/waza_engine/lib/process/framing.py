"""Frame the messages between us and our workers: four bytes of length (big-endian), then that many bytes of JSON.

Two workers import nothing of the engine, so they repeat this in their own code: `assertions/python_worker.py` and
`assertions/javascript_worker.js`.
"""

import json
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asyncio import StreamReader

MOST_BYTES = 64_000_000
"""The longest message that is read, unless the reader sets another limit."""
_HEAD = struct.Struct(">I")
_MOST_WRITTEN_BYTES = (1 << 32) - 1
_CHUNK = 1 << 20
"""A pipe without a buffer allocates as much as is asked for."""


class FramingError(ValueError):
    """A message is too long, or is not valid JSON."""


def frame(message: Any) -> bytes:
    """Return the bytes of a message.

    Raises:
        FramingError: it is longer than a frame can be.

    """
    body = json.dumps(message).encode()
    if len(body) > _MOST_WRITTEN_BYTES:
        raise FramingError(f"a message of {len(body)} bytes is too long for a frame")
    return _HEAD.pack(len(body)) + body


def read_frame(read: Callable[[int], bytes | None], limit: int = MOST_BYTES) -> Any:
    """Return the next message. `read` returns at most the given number of bytes, and none at the end of the input.

    Raises:
        EOFError: the input ends before the message does.
        FramingError: the message is longer than `limit` bytes, or is not valid JSON.

    """
    return _decoded(_read_exactly(read, _length(_read_exactly(read, _HEAD.size), limit)))


async def receive_frame(stream: "StreamReader", limit: int = MOST_BYTES) -> Any:
    """Return the next message of a stream.

    Raises:
        EOFError: the stream ends before the message does.
        FramingError: the message is longer than `limit` bytes, or is not valid JSON.

    """
    return _decoded(await stream.readexactly(_length(await stream.readexactly(_HEAD.size), limit)))


def _length(head: bytes, limit: int) -> int:
    length: int = _HEAD.unpack(head)[0]
    if length > limit:
        raise FramingError(f"a message of {length} bytes is longer than {limit}")
    return length


def _read_exactly(read: Callable[[int], bytes | None], size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = read(min(size - len(data), _CHUNK))
        if not part:
            raise EOFError(f"the input ends after {len(data)} of {size} bytes")
        data += part
    return bytes(data)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FramingError(f"a message is not valid JSON: {error}") from error
