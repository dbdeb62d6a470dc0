"""Putting the server together and starting it."""

import functools
import os
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from waza_lsp.server.commands.run import COMMANDS
from waza_lsp.server.handlers.notifications import NOTIFICATIONS
from waza_lsp.server.handlers.requests import REQUESTS
from waza_lsp.server.memory import look_rarely, one_heap
from waza_lsp.server.session import WazaServer
from waza_lsp.server.startup.code_cache import Compiled
from waza_lsp.server.startup.early_answers import Early
from waza_lsp.server.transport.message_loop import serve


def create_server() -> WazaServer:
    """The server with everything registered."""
    server = WazaServer()
    for method, handler, options in (*NOTIFICATIONS, *REQUESTS):
        server.feature(method, options)(_bound(handler, server))
    for name, command in COMMANDS.items():
        server.command(name)(_bound(command, server))
    server.feature(types.SHUTDOWN)(lambda *_: server.end_children())
    server.feature(types.EXIT)(lambda *_: os._exit(0 if server.protocol._shutdown else 1))  # noqa: SLF001  # no public name for it
    return server


def go_on(early: Early, compiled: Compiled) -> None:
    """Answer on standard input and output, after what was answered early."""
    server = create_server()
    server.compiled = compiled
    server.protocol.answered = early.answered
    server.delivery.published(early.published)
    look_rarely()
    one_heap()
    serve(server, early.frames, early.waiting)


def serve_tcp(host: str, port: int) -> None:
    server = create_server()
    look_rarely()
    server.start_tcp(host, port)


def _bound(handler: Callable[..., Any], server: WazaServer) -> Callable[..., Any]:
    return functools.partial(handler, server)
