"""Run our command line in a process that is forked from a warm one, which has imported all commands.

It is a process of its own, with its own limits, exit status and end, but it costs 0.05 s of processor time instead of
0.5 s. Tests of imports, of start times and of signals start a fresh Python instead.
"""

import atexit
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_FOLDER = Path(tempfile.gettempdir()) / f"waza-lsp-warm-{os.getpid()}"
_SOCKET = _FOLDER / "socket"
_PROGRAM = [sys.executable, "-I", "-S", str(_HERE / "forked_program.py"), str(_SOCKET)]
_MAIN = ["-P", "-m", "waza_lsp"]
SERVER = [*_PROGRAM, *_MAIN, "serve"]
"""Starts a server, for libraries that start programs. Call `keep_warm` first."""
PYTHON = _FOLDER / "python"
"""A Python that forks for our modules. Commands in the warm process start it as their own `sys.executable`."""
FRESH = "WAZA_LSP_TESTS_FRESH"
"""An environment variable: if it is set, that Python starts anew, for tests that stop and kill what a server started."""
_PYTHON = """\
#!/bin/sh
case "${fresh}:$PYTHONPATH $1 $2 $3" in
:{path}" -P -m waza_lsp"*) exec {program} "$@" ;;
*) exec {python} "$@" ;;
esac
"""


def forked(
    *arguments: str,
    cwd: Path,
    environment: Mapping[str, str] | None = None,
    seconds: float = 60,
    memory: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `waza-lsp` with these arguments, like `subprocess.run`, and return its output."""
    request = {
        "arguments": [*_MAIN, *arguments],
        "cwd": str(cwd),
        "environment": dict(os.environ if environment is None else environment),
        "memory": memory,
    }
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        status = _run(request, (nothing.fileno(), out.fileno(), err.fileno()), seconds)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
    return subprocess.CompletedProcess(["waza-lsp", *arguments], status, *texts)


def _run(request: object, streams: tuple[int, int, int], seconds: float) -> int:
    keep_warm()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(_SOCKET))
        message = json.dumps(request).encode() + b"\n"
        sent = socket.send_fds(connection, [message], streams)
        connection.sendall(message[sent:])
        connection.settimeout(seconds)
        try:
            with connection.makefile("rb") as answer:
                answer.readline()  # the process id
                return int(answer.readline())
        except TimeoutError:
            raise subprocess.TimeoutExpired("waza-lsp", seconds) from None


def keep_warm() -> None:
    """Start the warm process unless it runs. A run inside the test process ends all other children of it."""
    warm = _started()
    if warm.poll() is not None:
        _end(warm)
        _started.cache_clear()
        _started()


def process_of(program: int) -> int:
    """Return the process that does the work of a program started with `SERVER`, whose process id is given."""
    return int((_FOLDER / str(program)).read_text(encoding="ascii"))


@cache
def _started() -> subprocess.Popen[bytes]:
    """Start the warm process. It ends when its input is closed."""
    shutil.rmtree(_FOLDER, ignore_errors=True)
    _FOLDER.mkdir(mode=0o700)
    path, program = shlex.quote(os.environ.get("PYTHONPATH", "")), shlex.join(_PROGRAM)
    PYTHON.touch(mode=0o700)
    PYTHON.write_text(
        _PYTHON.format(fresh=FRESH, path=path, program=program, python=shlex.quote(sys.executable)), "utf-8"
    )
    process = subprocess.Popen(
        [sys.executable, "-P", str(_HERE / "warm.py"), str(_SOCKET)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    if not process.stdout.readline():
        raise RuntimeError("the warm process did not start")
    process.stdout.close()
    atexit.register(_end, process)
    return process


def _end(warm: subprocess.Popen[bytes]) -> None:
    if warm.stdin is not None:
        warm.stdin.close()
    warm.wait()
    shutil.rmtree(_FOLDER, ignore_errors=True)
