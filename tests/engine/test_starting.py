"""Programs started from an event loop, cancelled at any moment of their start."""

import asyncio
import sys
from asyncio.subprocess import PIPE

import pytest

from waza_engine.sessions import kill_session
from waza_engine.starting import start_program

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
