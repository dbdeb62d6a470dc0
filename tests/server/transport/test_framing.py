"""Messages are read from a byte stream, however it is split."""

import os

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_lsp.server.transport.framing import Frames


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
