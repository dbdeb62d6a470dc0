"""The child interpreter, which evaluates the engine's requests, each in a fork.

It runs as `python -I -S -c SOURCE LIMITS`, so it imports nothing of the engine. Frames on stdin and stdout are four bytes
of length (big-endian) and JSON. Evaluated code sees neither these pipes nor other requests. Without `fork`, one process
serves one request and ends.

The boundary is `wall`, which has started this interpreter. The audit hook is a second line, and the first where the
kernel has no wall. It blocks the known ways from an expression to processes, sockets and files (reading the standard
library is allowed, because imports need it). Resource limits apply to the rest.

An evaluating process proves its verdict with a secret. Secret and pipe are only on the stack of values while the code
runs, where frames do not show them.
"""

import _sitebuiltins
import ast
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
    *(
        "object.__setattr__",
        "object.__delattr__",
        "function.__new__",
        "code.__new__",
        "sys._getframe",
        "sys.addaudithook",
    ),
    *("os.truncate", "os.utime", "os.putenv", "os.unsetenv", "os.setxattr", "tempfile.", "mmap."),
    *("cpython.PyInterpreterState_New", "sys.remote_exec"),
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
_REFUSED_MODULES = frozenset(
    [
        *("_ctypes", "_posixsubprocess", "_socket", "_multiprocessing", "_winapi", "_overlapped", "winreg"),
        # Another interpreter has no audit hook of ours. Not every version reports that one is made.
        *("_interpreters", "_xxsubinterpreters", "_testinternalcapi", "_testcapi"),
    ]
)
_END = b"\n"
"""What an evaluating process prints at its end, and nothing else."""
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
    if sys.platform == "win32":
        raise OSError("Windows cannot fork")
    secret = os.urandom(16)
    reading, writing = os.pipe()
    verdict, proof = os.pipe()
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        for pipe in (source, sink, reading, verdict):
            os.close(pipe)
        os.dup2(writing, 1, inheritable=False)
        os.close(writing)
        # From here on no frame holds the secret: code that looks into frames finds an empty list.
        hidden: list[Any] = [secret, partial(os.write, proof)]
        del secret, proof
        _run_child(hidden, request, limits)
    os.close(writing)
    os.close(proof)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    output, results, ended = _collect(reading, verdict, source, limits)
    os.close(reading)
    os.close(verdict)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended == "orphaned":
        sys.exit(1)
    # Like waza's script, whose only output is the verdict: any other output, or a closed stdout, makes it invalid.
    is_proven = results.startswith(secret) and output == _END
    return _answer(status, ended, results[len(secret) :] if is_proven else b"", limits)


def _run_child(hidden: list[Any], request: bytes, limits: dict[str, Any]) -> NoReturn:
    status = 1
    leave = os._exit
    try:
        _restrict(limits)
        flush, end = sys.stdout.flush, partial(os.write, 1, _END)
        # The calls are prepared before the code runs, and are C functions: nothing that it replaces is asked again.
        hidden.pop()(b"".join((hidden.pop(), _encoded(_perform(json.loads(request), limits)))))
        flush()
        end()
        status = 0
    finally:
        leave(status)


def _encoded(outcomes: list[list[str]]) -> bytes:
    """Return the outcomes as a literal. `"".join` makes exact strings of subclasses, whose `repr` could lie."""
    return repr([["".join([it]) for it in each] for each in outcomes]).encode("utf-8", "replace")  # noqa: FLY002


def _collect(reading: int, verdict: int, source: int, limits: dict[str, Any]) -> tuple[bytes, bytes, str]:
    """Return what the child printed, its verdict, and how it ended."""
    deadline = time.monotonic() + limits["seconds"]
    found = {reading: bytearray(), verdict: bytearray()}
    waiting = [reading, verdict]
    ended = "exit"
    while waiting and ended == "exit":
        ready, _, _ = select.select([*waiting, source], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            ended = "time"
        elif source in ready:  # the engine sends nothing while it waits, so it has closed the pipe
            ended = "orphaned"
        for pipe in ready if ended == "exit" else ():
            chunk = os.read(pipe, 65_536)
            found[pipe] += chunk
            if not chunk:
                waiting.remove(pipe)
            if len(found[pipe]) > limits["output_bytes"]:
                ended = "flood"
    return bytes(found[reading]), bytes(found[verdict]), ended


def _in_place(request: bytes, limits: dict[str, Any]) -> bytes:
    sys.stdout = captured = io.StringIO()
    try:
        _restrict(limits)
        results = _encoded(_perform(json.loads(request), limits))
    except BaseException:  # noqa: BLE001  # whatever the expression raises, the engine gets an answer
        return _answer(1, "exit", b"", limits)
    return _answer(0, "exit", b"" if captured.getvalue() else results, limits)


def _answer(status: int, ended: str, results: bytes, limits: dict[str, Any]) -> bytes:
    """Return the answer to the engine; `results` is null if no verdict is proven."""
    try:
        outcomes = ast.literal_eval(results.decode("utf-8", "surrogatepass")) if results else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        outcomes = None
    answer = {"status": status, "ended": ended, "results": outcomes, "seconds": limits["seconds"]}
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
        # macOS refuses some of them, and Windows has none; the parent's time limit still applies.
        with contextlib.suppress(AttributeError, ValueError, OSError):
            if sys.platform != "win32":
                resource.setrlimit(getattr(resource, name), (most, most))
    for module in filter(None, (os, sys.modules.get("posix"))):
        for name in _UNAUDITED:
            vars(module).pop(name, None)
    sys.addaudithook(_guard())


def _guard() -> Callable[[str, tuple[Any, ...]], None]:
    """Return the audit hook.

    All that it uses is in its closure, because an expression can change globals and builtins. None of that is a
    function of Python: the traceback of a refusal shows the hook's variables, and the code of a function can be replaced.
    """
    refused_events, refused_modules, writing, kind_of, whole, text, refusal = (
        *(_REFUSED, _REFUSED_MODULES, _WRITING),
        *(type, int, str, PermissionError),
    )
    library = os.__file__.removesuffix("os.py")

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        refused = event.startswith(refused_events)
        if event == "open":
            path, _mode, flags = arguments
            reads = kind_of(flags) is whole and not flags & writing
            refused = not (reads and kind_of(path) is text and path.startswith(library) and ".." not in path)
        elif event == "import":
            # A loader takes any name before the last dot.
            name = arguments[0]
            refused = kind_of(name) is not text or name.rpartition(".")[2] in refused_modules
        if refused:
            raise refusal("not allowed in an assertion: " + event)

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
