"""Messages to our workers arrive whole, or as a clear error."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest

from waza_engine.lib.process.framing import FramingError, frame, read_frame, receive_frame

MESSAGES = [None, "", "ü\ud800", [1, {"a": [True]}], "x" * 300_000]


def read_from_pipe(data: bytes, limit: int = 1 << 20) -> list[Any]:
    """Read frames from a pipe that gives one part after the other, until a frame is not whole."""
    pipe, found = BytesIO(data), []
    with suppress(EOFError):
        while True:
            found.append(read_frame(lambda size: pipe.read(min(size, 50_000)), limit))
    return found


def read_from_stream(data: bytes, limit: int = 1 << 20) -> list[Any]:
    """Read frames from a stream, until a frame is not whole."""

    async def reading() -> list[Any]:
        stream, found = asyncio.StreamReader(), []
        stream.feed_data(data)
        stream.feed_eof()
        with suppress(EOFError):
            while True:
                found.append(await receive_frame(stream, limit))
        return found

    return asyncio.run(reading())


both = pytest.mark.parametrize("read", [read_from_pipe, read_from_stream])


@both
def test_messages_come_back(read: Callable[..., list[Any]]) -> None:
    assert read(b"".join(map(frame, MESSAGES))) == MESSAGES


@both
@pytest.mark.parametrize("cut", [1, 2, 3, 4, 5, 8])
def test_a_message_that_is_cut_off_is_the_end(read: Callable[..., list[Any]], cut: int) -> None:
    whole = frame("first")
    assert read(whole + frame("second")[:cut]) == ["first"]


@both
def test_a_message_that_is_too_long_is_not_read(read: Callable[..., list[Any]]) -> None:
    assert read(frame("x" * 8), 10) == ["x" * 8]
    with pytest.raises(FramingError, match="11 bytes is longer than 10"):
        read(frame("x" * 9), 10)
    with pytest.raises(FramingError, match="4294967295 bytes is longer than 10"):
        read(b"\xff\xff\xff\xff", 10)


@both
@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_a_message_that_is_not_json_is_an_error(read: Callable[..., list[Any]], body: bytes) -> None:
    with pytest.raises(FramingError, match="not valid JSON"):
        read(len(body).to_bytes(4, "big") + body)
