"""Run our command line in a process that is forked from a warm one, which has imported all commands.

It is a process of its own, with its own limits, exit status and end, but it costs 0.05 s of processor time instead of
0.5 s. Tests of imports, of start times and of signals start a fresh Python instead.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

_NEVER_IMPORTED = ("waza_lsp.server.", "waza_lsp.features.", "waza_engine.generate.")
"""Packages of the server and of generators, which the tested commands do not use."""


def forked(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float = 60,
    memory: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `waza-lsp` with these arguments, like `subprocess.run`, and return its output."""
    environment = dict(os.environ if environment is None else environment)
    request = {
        "arguments": arguments,
        "cwd": str(cwd),
        "environment": environment,
        "memory": memory,
    }
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        status = _warm().run(request, (out.fileno(), err.fileno()), seconds)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
    return subprocess.CompletedProcess(["waza-lsp", *arguments], status, *texts)


class _Warm:
    """The warm process, seen from the tests. It ends with the worker, which closes the connection."""

    def __init__(self) -> None:
        self._connection, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen([sys.executable, "-P", __file__], stdin=other.fileno())
        atexit.register(self._end)

    def run(self, request: object, outputs: tuple[int, int], seconds: float) -> int:
        message = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(self._connection, [message], outputs)
        self._connection.sendall(message[sent:])
        process = self._number(60)
        try:
            return self._number(seconds)
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            self._number(60)
            raise subprocess.TimeoutExpired("waza-lsp", seconds) from None

    def _number(self, seconds: float) -> int:
        """Read a line of the warm process: the id of the child, then its exit status."""
        self._connection.settimeout(seconds)
        line = b""
        while not line.endswith(b"\n"):
            line += self._connection.recv(1)
        self._connection.settimeout(None)
        return int(line)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def _end(self) -> None:
        self._connection.close()
        self._process.wait()


@cache
def _started() -> _Warm:
    return _Warm()


def _warm() -> _Warm:
    """Return the warm process. A run inside the test process ends all other children of it, so it may be a new one."""
    if not _started().is_alive():
        _started.cache_clear()
    return _started()


def _import_all() -> None:
    """Import what commands import late. Extras that are not installed are left out."""
    for name in ("waza_engine", "waza_lsp"):
        for it in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if not it.name.endswith("__main__") and not it.name.startswith(_NEVER_IMPORTED):
                with suppress(ImportError):
                    importlib.import_module(it.name)


def _become_a_command() -> None:
    """Fork for each request, and return in the child. The parent waits for each child, and exits with the connection."""
    connection = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    while True:
        message, files, _, _ = socket.recv_fds(connection, 65536, 2)
        while message and not message.endswith(b"\n"):
            message += connection.recv(65536)
        if not message:
            os._exit(0)
        if not (child := os.fork()):
            break
        for it in files:
            os.close(it)
        connection.sendall(b"%d\n" % child)
        connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    connection.close()
    for number, it in enumerate(files, start=1):
        os.dup2(it, number)
        os.close(it)
    request = json.loads(message)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    random.seed()
    sys.argv[1:] = request["arguments"]
    if request["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))


if __name__ == "__main__":
    _import_all()
    gc.freeze()  # So that a collection in a child copies fewer pages.
    _become_a_command()
    from waza_lsp.__main__ import main

    main()
