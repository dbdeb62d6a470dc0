"""Programs started from an event loop, cancelled at any moment of their start."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from waza_engine.lib.process import reaper
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.spawn import start_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions are Unix'")


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
        # It was there before the cancel.
        process = starting.result()
        kill_session(process.pid)
        await process.communicate()


async def test_what_cannot_be_started_is_not_waited_for_at_our_end() -> None:
    before = dict(reaper._known)
    with pytest.raises(OSError, match="no such program"):
        await start_program("/no such program")
    with pytest.raises(OSError, match="no such program"):
        processes.start(["/no such program"])
    assert reaper._known == before


async def test_a_second_cancel_is_no_quicker_than_the_first() -> None:
    starting = asyncio.create_task(start_program("sleep", "3600", stdin=PIPE, stdout=PIPE))
    for _ in range(4):
        await asyncio.sleep(0)
        starting.cancel()
    done, _ = await asyncio.wait([starting], timeout=30)
    assert done
    assert starting.cancelled()
    # Nothing of it goes on: the event loop would wait for it at its end.
    assert all(it is asyncio.current_task() for it in asyncio.all_tasks())
