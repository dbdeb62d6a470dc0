"""The server on standard input and output, read and answered in one thread where the system can tell what has come.

pygls's own loop goes through three threads for each message.
"""

import asyncio
import functools
import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest

from waza_lsp.server.app import WazaServer
from waza_lsp.server.connection import Output, once, when_closed, when_unread
from waza_lsp.server.frames import Frames
from waza_lsp.server.turns import Turns

_log = logging.getLogger(__name__)
_INPUT = 0
_LEAVE_SECONDS = 3.0


def serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    """Answer until the input ends, and leave; `waiting` are messages that were read already."""
    try:
        asyncio.run(_serve(server, frames, waiting))
    finally:
        server.end_children()


async def _serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    turns = Turns(functools.partial(_handle, server), frames)

    # Should something hang, an editor that does not read say, nobody is there any more to see it.
    giving_up = threading.Timer(_LEAVE_SECONDS, _give_up, [server])
    giving_up.daemon = True
    leave_soon = once(giving_up.start)  # Several may notice at the same time.

    def leave() -> None:
        leave_soon()
        # The loop may be over already.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    server.leave = leave
    reads_itself = _read_in_loop(turns, leave)
    output = sys.stdout.fileno()
    server.protocol.set_writer(Output(output, leave, turns.wait_to_write if reads_itself else None))
    when_unread(output, leave)
    if reads_itself:
        server.protocol.later = turns.later
        when_closed(_INPUT, leave_soon)
    turns.take(waiting)
    if not reads_itself:
        _read_in_thread(frames, turns, leave)
    await ended.wait()
    server.end_children()
    # To close the loop would tear what is being started right now, and wait for what is done in threads.
    os._exit(0)


def _read_in_loop(turns: Turns, leave: Callable[[], None]) -> bool:
    """Read whenever something has come; False where the system cannot tell (Windows) or it is no pipe."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            is_open = turns.read()
        except OSError:
            _log.warning("The input cannot be read any more")
            is_open = False
        if not is_open:
            loop.remove_reader(_INPUT)
            leave()

    try:
        loop.add_reader(_INPUT, read)
    except (NotImplementedError, OSError):
        return False
    return True


def _read_in_thread(frames: Frames, turns: Turns, leave: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            while frames.read():
                if bodies := frames.take():
                    loop.call_soon_threadsafe(turns.take, bodies)
        except OSError:
            _log.warning("The input cannot be read any more")
        finally:
            leave()

    threading.Thread(target=read, name="reader", daemon=True).start()


def _give_up(server: WazaServer) -> None:
    server.end_children()
    os._exit(1)


def _handle(server: WazaServer, body: bytes) -> bool:
    """Deal with a message; whether nothing of it is left that has to begin."""
    message: Any = None
    try:
        message = json.loads(body)
        return server.protocol.handle_message(server.protocol.structure_message(message))
    except JsonRpcInvalidParams as reason:
        server.protocol.refuse(message, reason)
    except Exception as error:  # noqa: BLE001  # the one place per message
        _log.exception("A message could not be handled")
        server.protocol.refuse(message, JsonRpcInvalidRequest())
        server.report_server_error(error, JsonRpcException)
    return False
