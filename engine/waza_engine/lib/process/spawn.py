"""Start a program from an event loop, safely even if the start is cancelled.

Imported apart from `run`, because most processes of ours need no asyncio.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from waza_engine.lib.process import reaper
from waza_engine.lib.process.reaper import kill_session
from waza_engine.lib.process.shortage import is_shortage, shortage_of
from waza_engine.lib.system.programs import start_flags


async def start_program(
    *argv: str, env: Mapping[str, str] | None = None, **options: Any
) -> asyncio.subprocess.Process:
    """Start a program in its own session, like `asyncio.create_subprocess_exec` but safe to cancel.

    If a start is cancelled before the pipes are connected, asyncio waits for the program for ever, and it never ends the
    program's children. So a cancel here waits until the start is complete, and then kills the session.

    The program is killed when we are. Call `reaper.unwatch` once it has ended.

    Raises:
        OSError: the program cannot be started.
        ShortageError: the machine lacks the resources to start it.
        ValueError: an argument contains a NUL or a lone surrogate.

    """
    environment = reaper.announce(env)
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv, env=environment, start_new_session=True, creationflags=start_flags(), **options
        )
    )
    try:
        process = await asyncio.shield(starting)
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError):
            await _cancel(starting)
        reaper.forget(environment)
        if is_shortage(error):
            raise shortage_of(argv[0], error) from error
        raise
    reaper.watch(process.pid, environment)
    return process


async def _cancel(starting: asyncio.Future[asyncio.subprocess.Process]) -> None:
    while not starting.done():
        # A second cancel must not interrupt the wait.
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([starting])
    with contextlib.suppress(OSError, ValueError, asyncio.CancelledError):
        process = starting.result()
        kill_session(process.pid)
        await release(process)


async def release(process: asyncio.subprocess.Process) -> None:
    """Close our ends of a killed program's pipes, even if others hold them open, and wait for its end."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    await process.wait()
