"""The warm process: it has imported all of our modules, built their models, and forks for each command.

`tests/forked.py` starts it with the path of a socket. A client sends one line of JSON with its three standard streams,
and gets a line with the process id, then one with the exit status. If it closes the connection instead, the command is
killed.
"""

import gc
import importlib
import json
import os
import pkgutil
import random
import resource
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from struct import calcsize, unpack
from typing import Any

from pydantic import BaseModel

_STREAMS = 3


def _import_all() -> None:
    """Import what commands import late. Extras that are not installed are left out."""
    for name in ("waza_engine", "waza_lsp"):
        for it in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if not it.name.endswith("__main__") and not it.name.startswith("waza_engine.generate."):
                # The modules of another system assert that they run there.
                with suppress(ImportError, AssertionError):
                    importlib.import_module(it.name)


def _complete_models() -> None:
    """Build the validators of all models, which pydantic does at their first use."""
    found: list[type[BaseModel]] = [BaseModel]
    for it in found:
        found += it.__subclasses__()
        if it.__module__.startswith("waza_"):
            it.model_rebuild(raise_errors=False)


def _serve(listener: socket.socket) -> Callable[[], object]:
    """Fork for each connection, and return in the child, with what to run. The parent ends with its standard input."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    selector.register(0, selectors.EVENT_READ)
    children: dict[socket.socket, tuple[int, int]] = {}
    while True:
        for key, _ in selector.select():
            ready: Any = key.fileobj
            if ready == 0:
                os._exit(0)
            if ready is listener:
                connection, _ = listener.accept()
                message, streams = _received(connection)
                if not message:
                    connection.close()
                elif child := os.fork():
                    _tell(connection, child)
                    for it in streams:
                        os.close(it)
                    children[connection] = child, os.pidfd_open(child)
                    selector.register(connection, selectors.EVENT_READ)
                    selector.register(children[connection][1], selectors.EVENT_READ, connection)
                else:
                    _leave(selector, [listener, connection, *children], [it for _, it in children.values()])
                    return _become(json.loads(message), streams)
            elif isinstance(ready, socket.socket):  # The client is gone.
                selector.unregister(ready)
                os.kill(children[ready][0], signal.SIGKILL)
            else:
                child, end = children.pop(key.data)
                status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                with suppress(KeyError):
                    selector.unregister(key.data)
                selector.unregister(end)
                os.close(end)
                with suppress(OSError):
                    key.data.sendall(b"%d\n" % status)
                key.data.close()


def _tell(connection: socket.socket, child: int) -> None:
    """Tell the client which process does its work, and write it down for tests that look for it."""
    client, _, _ = unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, calcsize("3i")))
    Path(sys.argv[1]).with_name(str(client)).write_text(str(child), encoding="ascii")
    with suppress(OSError):
        connection.sendall(b"%d\n" % child)


def _received(connection: socket.socket) -> tuple[bytes, list[int]]:
    message, streams, _, _ = socket.recv_fds(connection, 65536, _STREAMS)
    while message and not message.endswith(b"\n"):
        message += connection.recv(65536)
    return message, streams


def _leave(selector: selectors.BaseSelector, connections: list[socket.socket], numbers: list[int]) -> None:
    """Close what belongs to the parent."""
    selector.close()
    for it in connections:
        it.close()
    for number in numbers:
        os.close(number)


def _become(request: dict[str, Any], streams: list[int]) -> Callable[[], object]:
    """Take over the state of a program that was started with this request, and return its main function."""
    for number, it in enumerate(streams):
        os.dup2(it, number)
        os.close(it)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    random.seed()
    # What it starts is forked, too.
    sys.executable = str(Path(sys.argv[1]).with_name("python"))
    _, _, module, *sys.argv[1:] = request["arguments"]  # -P -m MODULE
    if request["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    name = f"{module}.__main__" if hasattr(sys.modules[module], "__path__") else module
    main: Callable[[], object] = importlib.import_module(name).main
    return main


if __name__ == "__main__":
    _import_all()
    _complete_models()
    gc.freeze()  # So that a collection in a child copies fewer pages.
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        os.write(1, b"ready\n")
        run = _serve(listening)
    run()
