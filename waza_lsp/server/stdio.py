"""The server on standard input and output: one thread reads, and hands over all messages that have come together.

pygls's own loop goes through three threads for each message.
"""

import asyncio
import json
import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest

from waza_lsp.server.app import WazaServer
from waza_lsp.server.connection import Output, once, when_unread
from waza_lsp.server.frames import Frames

_log = logging.getLogger(__name__)
_LEAVE_SECONDS = 3.0


def serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    """Answer until the input ends, and leave; `waiting` are messages that were read already."""
    try:
        asyncio.run(_serve(server, frames, waiting))
    finally:
        server.end_children()


async def _serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    pending: deque[bytes] = deque()

    # Should something hang, an editor that does not read say, nobody is there any more to see it.
    giving_up = threading.Timer(_LEAVE_SECONDS, _give_up, [server])
    giving_up.daemon = True

    @once  # Several may notice at the same time.
    def leave() -> None:
        giving_up.start()
        # The loop may be over already.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set)

    def read() -> None:
        try:
            while frames.read():
                if bodies := frames.take():
                    loop.call_soon_threadsafe(take, bodies)
        except OSError:
            _log.warning("The input cannot be read any more")
        finally:
            leave()

    is_busy = False

    def take(bodies: Sequence[bytes]) -> None:
        pending.extend(bodies)
        if not is_busy:
            next_one()

    def next_one() -> None:
        nonlocal is_busy
        is_busy = bool(pending)
        if is_busy:
            _handle(server, pending.popleft())
            # One a turn: what a message sets going has begun before the next one is looked at.
            loop.call_soon(next_one)

    server.leave = leave
    server.protocol.set_writer(Output(sys.stdout.buffer, leave))
    when_unread(sys.stdout.fileno(), leave)
    take(waiting)
    threading.Thread(target=read, name="reader", daemon=True).start()
    await ended.wait()
    server.end_children()
    # To close the loop would tear what is being started right now, and wait for what is done in threads.
    os._exit(0)


def _give_up(server: WazaServer) -> None:
    server.end_children()
    os._exit(1)


def _handle(server: WazaServer, body: bytes) -> None:
    message: Any = None
    try:
        message = json.loads(body)
        server.protocol.handle_message(server.protocol.structure_message(message))
    except JsonRpcInvalidParams as reason:
        server.protocol.refuse(message, reason)
    except Exception as error:  # noqa: BLE001  # the one place per message
        _log.exception("A message could not be handled")
        server.protocol.refuse(message, JsonRpcInvalidRequest())
        server.report_server_error(error, JsonRpcException)
