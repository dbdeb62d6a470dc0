"""Starting a program from an event loop."""

import asyncio
import contextlib
from typing import Any

from waza_engine.sessions import kill_session


async def start_program(*argv: str, **options: Any) -> asyncio.subprocess.Process:
    """`asyncio.create_subprocess_exec` that a cancel cannot tear apart; the program has to get a session of its own.

    asyncio waits for ever for a program whose start was cancelled before its pipes were connected, and knows only the
    program itself. So a cancel waits for the moment that the start takes, and then ends all that has begun.

    Raises:
        OSError: it cannot be started.
        ValueError: an argument holds a NUL or a lone surrogate.

    """
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*argv, start_new_session=True, **options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError, ValueError):
            process = await starting
            kill_session(process.pid)
            await let_go(process)
        raise


async def let_go(process: asyncio.subprocess.Process) -> None:
    """Close our ends of a killed program's pipes, whoever else holds them open, and wait for its end."""
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    await process.wait()
