"""The server on standard input and output: one thread reads, and hands over all messages that have come together.

pygls's own loop goes through three threads for each message.
"""

import asyncio
import json
import logging
import sys
import threading
from collections import deque
from collections.abc import Sequence

from pygls.exceptions import JsonRpcException
from pygls.io_ import StdoutWriter

from waza_lsp.server.app import WazaServer
from waza_lsp.server.frames import Frames

_log = logging.getLogger(__name__)


def serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    """Answer until the input ends; `waiting` are messages that were read already."""
    server.protocol.set_writer(StdoutWriter(sys.stdout.buffer))
    try:
        asyncio.run(_serve(server, frames, waiting))
    except BrokenPipeError:
        _log.warning("Nobody reads what the server writes; it ends")
    finally:
        server.end_children()


async def _serve(server: WazaServer, frames: Frames, waiting: Sequence[bytes]) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    pending: deque[bytes] = deque()

    def read() -> None:
        try:
            while frames.read():
                if bodies := frames.take():
                    loop.call_soon_threadsafe(take, bodies)
        finally:
            loop.call_soon_threadsafe(ended.set)

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

    take(waiting)
    threading.Thread(target=read, name="reader", daemon=True).start()
    await ended.wait()


def _handle(server: WazaServer, body: bytes) -> None:
    try:
        server.protocol.handle_message(server.protocol.structure_message(json.loads(body)))
    except Exception as error:  # noqa: BLE001  # the one place per message
        _log.exception("A message could not be handled")
        server.report_server_error(error, JsonRpcException)
