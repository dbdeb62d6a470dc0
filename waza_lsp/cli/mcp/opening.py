"""Drop the question of a client that no longer waits for its answer.

A client first asks for the newest protocol (`server/discover`). If it gets no answer in time, ten seconds in Copilot CLI,
it starts the older one (`initialize`). The package `mcp` takes the first request that it reads as the client's choice, so
a server that starts slowly, on a busy machine or behind a virus scanner, would refuse the second: that agent would have
no tools for the whole session.
"""

import io
import json
import sys
from typing import cast

_MOST_BYTES = 65_536


def drop_abandoned_probe() -> None:
    """Replace standard input with one that skips such a question. Waits for the client's first message."""
    source = cast("io.BufferedReader", sys.stdin.buffer)
    first = without_abandoned_probe(source.read1(_MOST_BYTES))
    sys.stdin = io.TextIOWrapper(io.BufferedReader(_Continued(first, source)), encoding="utf-8")


def without_abandoned_probe(received: bytes) -> bytes:
    """Return what a client sent while the server started, without a `server/discover` before an `initialize`."""
    lines = received.split(b"\n", 2)
    is_abandoned = _method(lines[0]) == "server/discover" and _method(b"".join(lines[1:2])) == "initialize"
    return b"\n".join(lines[1:]) if is_abandoned else received


def _method(line: bytes) -> object:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message.get("method") if isinstance(message, dict) else None


class _Continued(io.RawIOBase):
    """Bytes that were read already, followed by the rest of a stream."""

    def __init__(self, first: bytes, rest: io.BufferedReader) -> None:
        self._first, self._rest = first, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]  # the type of all buffers has no length
        part = self._first[: len(buffer)] or self._rest.read1(len(buffer))
        self._first = self._first[len(part) :]
        buffer[: len(part)] = part
        return len(part)
