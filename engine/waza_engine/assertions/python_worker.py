"""The child interpreter, which evaluates the engine's requests, each in a fork.

It runs as `python -I -S -c SOURCE LIMITS`, so it imports nothing of the engine. Frames on stdin and stdout are four bytes
of length (big-endian) and JSON. Evaluated code sees neither these pipes nor other requests. Without `fork`, one process
serves one request and ends.

The audit hook limits damage; it is not a security boundary. It blocks the known ways from an expression to processes,
sockets and files (reading the standard library is allowed, because imports need it). Resource limits apply to the rest.
"""

import _sitebuiltins
import builtins
import contextlib
import io
import json
import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_REFUSED = (
    *("ctypes.", "fcntl.", "ftplib.", "http.", "os.exec", "os.fork", "os.kill", "os.posix_spawn", "os.spawn"),
    *(
        "os.startfile",
        "os.system",
        "pty.",
        "resource.",
        "shutil.",
        "signal.",
        "smtplib.",
        "socket.",
        "sqlite3.",
    ),
    *("subprocess.", "syslog.", "urllib.", "webbrowser.", "winreg.", "_winapi.", "_posixsubprocess."),
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink"),
    *("os.truncate", "os.utime", "os.putenv", "os.unsetenv", "os.setxattr", "tempfile.", "mmap."),
    *("os.listdir", "os.scandir", "os.walk", "os.fwalk", "glob.", "os.getxattr", "os.listxattr", "gc."),
)
_UNAUDITED = (
    *(
        "mkfifo",
        "mknod",
        "chroot",
        "setsid",
        "setpgid",
        "setpgrp",
        "setuid",
        "setgid",
        "setreuid",
        "setresuid",
    ),
    *(
        "openpty",
        "memfd_create",
        "sendfile",
        "splice",
        "copy_file_range",
        "setpriority",
        "nice",
        "sched_setaffinity",
    ),
)
"""Functions of `os` that raise no audit event."""
_REFUSED_MODULES = frozenset(["_ctypes", "_posixsubprocess", "_socket", "_multiprocessing", "_winapi"])
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_BUILTINS: dict[str, Any] = {
    **{it.__name__: it for it in (len, any, all, str, int, float, bool, list, dict)},
    "re": re,
    "True": True,
    "False": False,
}


def main() -> None:
    """Serve requests from stdin until it ends. The first argument is JSON with the limits."""
    limits = json.loads(sys.argv[1])
    # In waza's interpreter the `site` module defines these.
    builtins.exit, builtins.quit = (_sitebuiltins.Quitter(it, "Ctrl-D") for it in ("exit", "quit"))
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    forking = limits["fork"] and hasattr(os, "fork")
    while (request := _read_frame(source)) is not None:
        answer = _in_fork(request, source, sink, limits) if forking else _in_place(request, limits)
        _write(sink, struct.pack(">I", len(answer)) + answer)
        if not forking:
            return


def _in_fork(request: bytes, source: int, sink: int, limits: dict[str, Any]) -> bytes:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        for pipe in (source, sink, reading):
            os.close(pipe)
        os.dup2(writing, 1)
        os.close(writing)
        _run_child(request, limits)
    os.close(writing)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    output, ended = _collect(reading, source, limits)
    os.close(reading)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == "orphaned":
        sys.exit(1)
    return _answer(status, ended, output, limits)


def _run_child(request: bytes, limits: dict[str, Any]) -> NoReturn:
    status = 1
    try:
        _restrict(limits)
        # Like waza's script, print one JSON value at the end. Earlier output makes it invalid, as in waza.
        print(json.dumps(_perform(json.loads(request), limits)), flush=True)  # noqa: T201  # stdout is the channel
        status = 0
    finally:
        os._exit(status)


def _collect(reading: int, source: int, limits: dict[str, Any]) -> tuple[bytes, str]:
    deadline = time.monotonic() + limits["seconds"]
    output = bytearray()
    while True:
        ready, _, _ = select.select([reading, source], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return bytes(output), "time"
        if source in ready:  # the engine sends nothing while it waits, so it has closed the pipe
            return bytes(output), "orphaned"
        chunk = os.read(reading, 65_536)
        if not chunk:
            return bytes(output), "exit"
        output += chunk
        if len(output) > limits["output_bytes"]:
            return b"", "flood"


def _in_place(request: bytes, limits: dict[str, Any]) -> bytes:
    sys.stdout = captured = io.StringIO()
    try:
        _restrict(limits)
        captured.write(json.dumps(_perform(json.loads(request), limits)))
    except BaseException:  # noqa: BLE001  # whatever the expression raises, the engine gets an answer
        return _answer(1, "exit", b"", limits)
    return _answer(0, "exit", captured.getvalue().encode("utf-8", "replace"), limits)


def _answer(status: int, ended: str, output: bytes, limits: dict[str, Any]) -> bytes:
    answer = {
        "status": status,
        "ended": ended,
        "stdout": output.decode("utf-8", "replace"),
        "seconds": limits["seconds"],
    }
    return json.dumps(answer).encode()


def _perform(request: dict[str, Any], limits: dict[str, Any]) -> list[list[str]]:
    if os.path.isdir(request.get("cwd", "")):  # noqa: PTH112  # pathlib takes longer to import than all of this
        os.chdir(request["cwd"])
    if "patterns" in request:
        steps = [partial(re.search, it, request["text"], re.IGNORECASE) for it in request["patterns"]]
    else:
        names = {**request["names"], **_BUILTINS}
        steps = [partial(_value, it, names) for it in request["assertions"]]
    return [_outcome(it, limits) for it in steps]


def _value(expression: str, names: dict[str, Any]) -> Any:
    return eval(expression, {"__builtins__": {}}, names)  # noqa: S307  # the point of this process


def _outcome(evaluate: Any, limits: dict[str, Any]) -> list[str]:
    try:
        return ["pass" if evaluate() else "fail", ""]
    except MemoryError:
        # waza has no such limit, so this must not count as its "exception without text".
        return ["error", f"needs more memory than the limit of {limits['memory_bytes'] >> 20} MB"]
    except Exception as error:  # noqa: BLE001  # any exception of the expression is its outcome
        return ["error", str(error)]


def _restrict(limits: dict[str, Any]) -> None:
    for name, most in (
        ("RLIMIT_CPU", int(limits["seconds"]) + 1),
        ("RLIMIT_AS", limits["memory_bytes"]),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_NPROC", 0),
    ):
        # macOS refuses some of them; the parent's time limit still applies.
        with contextlib.suppress(AttributeError, ValueError, OSError):
            resource.setrlimit(getattr(resource, name), (most, most))
    for module in filter(None, (os, sys.modules.get("posix"))):
        for name in _UNAUDITED:
            vars(module).pop(name, None)
    sys.addaudithook(_guard())


def _guard() -> Callable[[str, tuple[Any, ...]], None]:
    """Return the audit hook. Its tables are in a closure, because an expression can change globals."""
    refused_events, refused_modules, writing = _REFUSED, _REFUSED_MODULES, _WRITING
    library = os.__file__.removesuffix("os.py")

    def is_library(path: Any, _mode: Any, flags: Any) -> bool:
        reading = type(flags) is int and not flags & writing
        return reading and type(path) is str and path.startswith(library) and ".." not in path

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        refused = event.startswith(refused_events)
        if event == "open":
            refused = not is_library(*arguments)
        elif event == "import":
            refused = arguments[0] in refused_modules
        if refused:
            raise PermissionError(f"not allowed in an assertion: {event}")

    return guard


def _read_frame(source: int) -> bytes | None:
    head = _read(source, 4)
    if head is None:
        return None
    (length,) = struct.unpack(">I", head)
    return _read(source, length)


def _read(source: int, length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        chunk = os.read(source, min(length - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def _write(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


if __name__ == "__main__":
    main()
