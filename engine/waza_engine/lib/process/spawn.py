"""Starting a program from an event loop, and letting go of it."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session


async def start_program(
    *argv: str, env: Mapping[str, str] | None = None, **options: Any
) -> asyncio.subprocess.Process:
    """`asyncio.create_subprocess_exec` that a cancel cannot tear apart; the program leads a session of its own.

    asyncio waits for ever for a program whose start was cancelled before its pipes were connected, and knows only the
    program itself. So a cancel waits for the moment that the start takes, and then ends all that has begun.

    Should we be killed, the program is, too; `deathwatch.unwatch` it once it has ended.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument holds a NUL or a lone surrogate.

    """
    announced = reaper.announced(env)
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(*argv, env=announced, start_new_session=True, **options)
    )
    try:
        process = await asyncio.shield(starting)
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError):
            await _undo(starting)
        reaper.forget(announced)
        raise
    reaper.watch(process.pid, announced)
    return process


async def _undo(starting: asyncio.Future[asyncio.subprocess.Process]) -> None:
    while not starting.done():
        # A second cancel can be no quicker than the first.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([starting])
    with contextlib.suppress(OSError, ValueError, asyncio.CancelledError):
        process = starting.result()
        kill_session(process.pid)
        await let_go(process)


async def let_go(process: asyncio.subprocess.Process) -> None:
    """Close our ends of a killed program's pipes, whoever else holds them open, and wait for its end."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    await process.wait()
