"""Messages keep their order, deferred work comes after pending messages, and nothing waits forever."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from waza_lsp.server.transport.connection import Output
from waza_lsp.server.transport.framing import Frames
from waza_lsp.server.transport.message_loop import Turns


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


@dataclass
class Line:
    """A pipe, and the messages that were handled from it."""

    done: list[str] = field(default_factory=list)
    on: dict[str, Callable[[], bool]] = field(default_factory=dict)
    """Handle a message. Return False if it leaves deferred work."""

    def __post_init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.turns = Turns(self.handle, Frames(self.reading))

    def send(self, *bodies: str) -> None:
        os.write(self.writing, b"".join(framed(it.encode()) for it in bodies))

    def handle(self, body: bytes) -> bool:
        self.done.append(body.decode())
        return self.on.get(body.decode(), lambda: True)()

    def late(self, name: str) -> bool:
        self.turns.later(lambda: self.done.append(name))
        return True

    async def until(self, count: int) -> None:
        """Read like the server until `count` things are done."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self.reading, self.turns.read)
        async with asyncio.timeout(30):
            while len(self.done) < count:  # noqa: ASYNC110  # the loop is to turn
                await asyncio.sleep(0)
        loop.remove_reader(self.reading)


@pytest.fixture
def line() -> Iterator[Line]:
    found = Line()
    yield found
    os.close(found.reading)
    os.close(found.writing)


def test_what_may_wait_comes_after_what_is_there_already(line: Line) -> None:
    line.on["pull"] = lambda: line.late("findings")
    line.send("edit", "pull", "completion")
    asyncio.run(line.until(4))
    assert line.done == ["edit", "pull", "completion", "findings"]


def test_what_is_sent_while_it_waits_comes_first(line: Line) -> None:
    def pull() -> bool:
        line.send("completion")
        return line.late("findings")

    line.on["pull"] = pull
    line.send("pull")
    asyncio.run(line.until(3))
    assert line.done == ["pull", "completion", "findings"]


def test_messages_without_end_do_not_keep_it_waiting_for_ever(line: Line) -> None:
    def again() -> bool:
        line.send("again")
        return True

    line.on |= {"again": again, "pull": lambda: line.late("findings")}
    line.send("pull", "again")

    async def until_found() -> None:
        async with asyncio.timeout(30):
            while "findings" not in line.done:
                await line.until(len(line.done) + 1)

    asyncio.run(until_found())
    assert line.done[:2] == ["pull", "again"]


def test_what_a_message_sets_going_begins_before_the_next_one_is_looked_at(line: Line) -> None:
    def begins() -> bool:
        asyncio.get_running_loop().call_soon(line.done.append, "begun")
        return False

    line.on["request"] = begins
    line.send("request", "edit")
    asyncio.run(line.until(3))
    assert line.done == ["request", "begun", "edit"]


def test_a_reader_that_comes_too_late_does_not_wait(line: Line) -> None:
    assert line.turns.read()
    assert line.done == []


def test_two_that_wait_keep_their_order_and_both_come(line: Line) -> None:
    def fails() -> None:
        line.done.append("fails")
        raise ValueError

    def pull() -> bool:
        line.turns.later(fails)
        return line.late("second")

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        await line.until(3)

    line.on["pull"] = pull
    line.send("pull")
    asyncio.run(run())
    assert line.done == ["pull", "fails", "second"]


def test_an_editor_that_writes_before_it_reads_is_read_first(line: Line) -> None:
    """There is no deadlock: its messages are read while our response waits, and handled afterwards."""
    reading, writing = os.pipe()
    answer, got, wrote = b"x" * 1_000_000, bytearray(), b"e" * 300_000
    gone: list[bool] = []
    output = Output(writing, lambda: gone.append(True), line.turns.wait_to_write)

    def editor() -> None:
        rest = memoryview(framed(wrote))
        while rest:
            rest = rest[os.write(line.writing, rest) :]
        while len(got) < len(answer):
            got.extend(os.read(reading, 1 << 20))

    def ask() -> bool:
        thread.start()
        output.write(answer)
        return True

    thread = threading.Thread(target=editor, daemon=True)
    line.on["ask"] = ask
    line.send("ask")
    asyncio.run(line.until(2))
    thread.join(30)
    assert [len(it) for it in line.done] == [3, len(wrote)]
    assert bytes(got) == answer
    assert not gone
    os.close(reading)
    os.close(writing)


def test_nobody_reads_any_more() -> None:
    reading, writing = os.pipe()
    gone: list[bool] = []
    output = Output(writing, lambda: gone.append(True))
    os.close(reading)
    output.write(b"x")
    output.write(b"y")
    os.close(writing)
    assert gone == [True]
