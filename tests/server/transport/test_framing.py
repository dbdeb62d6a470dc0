"""Messages are read from a byte stream, however it is split."""

import asyncio
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_lsp.server.transport.framing import Frames, FramingError, bodies_in, frame


def framed(body: bytes, more: bytes = b"") -> bytes:
    return b"Content-Length: %d\r\n%s\r\n%s" % (len(body), more, body)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(1, 30), min_size=1, max_size=20))
def test_any_cut(bodies: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(framed(it, b"Content-Type: x\r\n") for it in bodies)
    reading, writing = os.pipe()
    frames, found = Frames(reading), list[bytes]()
    for index in range(len(stream) + 1):
        size = sizes[index % len(sizes)]
        part, stream = stream[:size], stream[size:]
        if not part:
            break
        os.write(writing, part)
        assert frames.is_waiting(1)
        assert frames.read()
        found += frames.take()
    assert not frames.is_waiting(0)
    os.close(writing)
    assert not frames.read()
    os.close(reading)
    assert found == bodies


def test_heads_in_other_letters_and_without_a_length() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"X: 1\r\n\r\n" + b"content-type: a\r\ncontent-length:2\r\n\r\nab" + framed(b"c"))
    frames = Frames(reading)
    assert frames.read()
    assert frames.take() == [b"ab", b"c"]
    os.close(writing)
    os.close(reading)


def test_a_number_that_is_too_long_is_not_a_length() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n" + framed(b"c"))
    frames = Frames(reading)
    assert frames.read()
    assert frames.take() == [b"c"]
    os.close(writing)
    os.close(reading)


async def streamed(data: bytes, most_bytes: int = 100) -> list[bytes]:
    """The bodies in a stream that ends after these bytes."""
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    return [it async for it in bodies_in(stream, most_bytes)]


async def test_a_stream_of_messages() -> None:
    sent = framed(b"a", b"Content-Type: x\r\n") + frame(b"") + frame(b"b" * 100)
    assert await streamed(sent) == [b"a", b"", b"b" * 100]
    assert await streamed(sent + b"Content-Length: 1\r\n") == [b"a", b"", b"b" * 100]
    with pytest.raises(EOFError):
        await streamed(frame(b"abc")[:-1])


@pytest.mark.parametrize("sent", [frame(b"b" * 101), b"X: 1\r\n\r\n", b"Content-Length: -1\r\n\r\n"])
async def test_a_message_without_a_length_or_a_long_one_ends_a_stream(sent: bytes) -> None:
    with pytest.raises(FramingError):
        await streamed(frame(b"a") + sent)
