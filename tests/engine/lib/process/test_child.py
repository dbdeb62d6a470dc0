"""A supervised child answers while its block runs, and nothing of it is left afterwards."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.leftovers import until
from waza_engine.lib.process import reaper
from waza_engine.lib.process.child import (
    Child,
    OutputLimitError,
    Streams,
    child,
    read_all,
    read_tail,
    start_child,
)
from waza_engine.lib.system import programs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for leftovers in /proc")

ECHO = [
    *(sys.executable, "-I", "-S", "-c"),
    "import json, sys\nfor line in sys.stdin: print(json.dumps([json.loads(line)]), flush=True)",
]
WITH_SERVICE = ["/bin/sh", "-c", "sleep 3600 & echo $!; exec sleep 3600"]
"""A program that starts another one, prints its id, and goes on."""
NULL = Streams(stdin=asyncio.subprocess.DEVNULL)


@pytest.fixture(autouse=True)
def _nothing_stays_registered() -> Iterator[None]:
    """Every test releases its children."""
    before = dict(reaper._registered)
    yield
    assert reaper._registered == before


async def ask(it: Child, question: object) -> object:
    it.stdin.write(json.dumps(question).encode() + b"\n")
    await it.stdin.drain()
    return json.loads(await it.stdout.readline())


async def service(it: Child) -> int:
    """The process id that the child prints."""
    return int(await it.stdout.readline())


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody waits for has no command line."""
    try:
        return not programs.exists(pid) or not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


async def test_a_child_answers_one_question_after_the_other() -> None:
    async with child(ECHO) as it:
        assert await ask(it, 1) == [1]
        assert await ask(it, {"a": "ü"}) == [{"a": "ü"}]
        assert it.status is None
    assert not it.is_running


async def test_a_killed_child_is_replaced() -> None:
    first = await start_child(ECHO)
    assert await ask(first, 1) == [1]
    first.kill()
    assert await first.stdout.readline() == b""
    assert await first.wait() < 0
    await first.end()
    second = await start_child(ECHO)
    assert second.pid != first.pid
    assert await ask(second, 2) == [2]
    await asyncio.gather(second.end(), second.end())
    assert not second.is_running


async def test_leaving_ends_the_descendants() -> None:
    async with child(WITH_SERVICE, streams=NULL) as it:
        pid = await service(it)
    until(lambda: is_gone(pid))
    assert is_gone(it.pid)


async def test_an_error_ends_the_descendants() -> None:
    pids: list[int] = []

    async def fail() -> None:
        async with child(WITH_SERVICE, streams=NULL) as it:
            pids.append(await service(it))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    until(lambda: is_gone(pids[0]))


async def test_a_cancel_ends_the_descendants_and_a_second_one_does_not_interrupt_that() -> None:
    pids = asyncio.get_running_loop().create_future()

    async def wait_for_ever() -> None:
        async with child(WITH_SERVICE, streams=NULL) as it:
            pids.set_result((it.pid, await service(it)))
            await it.wait()

    waiting = asyncio.create_task(wait_for_ever())
    leader, pid = await pids
    for _ in range(5):
        waiting.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert is_gone(leader)
    until(lambda: is_gone(pid))
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_descendants_that_are_spared_live_on() -> None:
    async with child(["/bin/sh", "-c", "sleep 3600 >/dev/null & echo $!"], streams=NULL) as it:
        pid = await service(it)
        assert await it.wait() == 0
        it.spare_descendants()
    assert not is_gone(pid)
    os.kill(pid, 9)
    until(lambda: is_gone(pid))


async def test_a_child_that_still_runs_spares_nothing() -> None:
    async with child(WITH_SERVICE, streams=NULL) as it:
        pid = await service(it)
        it.spare_descendants()
    until(lambda: is_gone(pid))


async def test_grace_lets_a_child_exit_when_its_input_ends() -> None:
    async with child(["/bin/sh", "-c", "read line; exit 7"], grace=60.0) as it:
        pass
    assert it.status == 7


async def test_grace_has_an_end() -> None:
    async with child(WITH_SERVICE, grace=0.01) as it:
        pid = await service(it)
    assert it.status == -9
    until(lambda: is_gone(pid))


async def test_an_exit_is_seen_while_others_have_the_pipes_open() -> None:
    async with child(["/bin/sh", "-c", "sleep 3600 & exit 3"], streams=NULL) as it:
        async with asyncio.timeout(30):
            assert await it.wait() == 3


async def test_input_that_a_child_does_not_read_is_no_error() -> None:
    async with child(["true"]) as it:
        await it.wait()
        await it.feed(b"x" * 1_000_000)


async def test_output_has_a_limit() -> None:
    async with child(["/bin/sh", "-c", "yes"], streams=NULL) as it:
        with pytest.raises(OutputLimitError):
            await read_all(it.stdout, 100_000)


async def test_output_is_read_whole_or_from_its_end() -> None:
    script = "import sys; sys.stdout.write('a' * 200_000 + 'b'); sys.stderr.write('c' * 200_000 + 'dd')"
    streams = Streams(stdin=asyncio.subprocess.DEVNULL, stderr=PIPE)
    async with child([sys.executable, "-I", "-S", "-c", script], streams=streams) as it:
        whole, end = await asyncio.gather(read_all(it.stdout, 200_001), read_tail(it.stderr, 3))
    assert whole == b"a" * 200_000 + b"b"
    assert end == b"cdd"


async def test_a_missing_pipe_is_named_at_once() -> None:
    async with child(["true"], streams=NULL) as it:
        with pytest.raises(ValueError, match="without this pipe"):
            _ = it.stdin


async def test_a_program_that_does_not_exist_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        async with child(["/no such program"]):
            pass
