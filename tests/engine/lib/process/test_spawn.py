"""Programs that are started from an event loop can be cancelled at any moment of their start."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from waza_engine.lib.process import reaper
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.spawn import start_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sessions")


@pytest.mark.parametrize("turns", range(12))
async def test_a_cancelled_start_comes_to_an_end(turns: int) -> None:
    starting = asyncio.create_task(
        start_program("/bin/sh", "-c", "sleep 3600 & sleep 3600", stdin=PIPE, stdout=PIPE, stderr=PIPE)
    )
    for _ in range(turns):
        await asyncio.sleep(0)
    starting.cancel()
    done, _ = await asyncio.wait([starting], timeout=30)
    assert done
    if not starting.cancelled():
        # The start was complete before the cancel.
        process = starting.result()
        kill_session(process.pid)
        await process.communicate()


async def test_a_failed_start_leaves_nothing_registered() -> None:
    before = dict(reaper._registered)
    with pytest.raises(OSError, match="no such program"):
        await start_program("/no such program")
    with pytest.raises(OSError, match="no such program"):
        processes.start(["/no such program"])
    assert reaper._registered == before


async def test_a_second_cancel_does_not_interrupt_the_first() -> None:
    starting = asyncio.create_task(start_program("sleep", "3600", stdin=PIPE, stdout=PIPE))
    for _ in range(4):
        await asyncio.sleep(0)
        starting.cancel()
    done, _ = await asyncio.wait([starting], timeout=30)
    assert done
    assert starting.cancelled()
    # No task is left that the event loop would wait for at its end.
    assert all(it is asyncio.current_task() for it in asyncio.all_tasks())
