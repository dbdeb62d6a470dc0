"""The server on standard input and output: one thread reads, and hands over all messages that have come together.

pygls's own loop goes through three threads for each message.
"""

import asyncio
import json
import logging
import sys
import threading
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

    def read() -> None:
        try:
            while frames.read():
                if bodies := frames.take():
                    loop.call_soon_threadsafe(_take, server, bodies)
        finally:
            loop.call_soon_threadsafe(ended.set)

    _take(server, waiting)
    threading.Thread(target=read, name="reader", daemon=True).start()
    await ended.wait()


def _take(server: WazaServer, bodies: Sequence[bytes]) -> None:
    for body in bodies:
        try:
            server.protocol.handle_message(server.protocol.structure_message(json.loads(body)))
        except Exception as error:  # noqa: BLE001  # the one place per message
            _log.exception("A message could not be handled")
            server.report_server_error(error, JsonRpcException)
