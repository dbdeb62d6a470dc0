"""Children do not outlive us, even when we are killed without a chance to clean up.

A tiny guard process holds the other end of a pipe. We tell it which process groups are ours; when the pipe breaks,
because we are gone, it kills the groups that are left. A parent-death signal would reach a child only, not what
the child has started, and it hangs on the thread that started the child, not on the process.
"""

import contextlib
import os
import subprocess
import sys
import threading

_GUARD = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""

_lock = threading.Lock()  # children are started from several threads
_guard: subprocess.Popen[bytes] | None = None


def get_ready() -> None:
    """Have the guard there before a child is started: starting it takes longer than a child may have."""
    _tell("")


def watch(group: int) -> None:
    """Have the process group killed when this process dies. Does nothing on Windows, which has no groups."""
    _tell(f"+{group}\n")


def unwatch(group: int) -> None:
    """The group has ended; its number may soon belong to somebody else."""
    _tell(f"-{group}\n")


def _tell(line: str) -> None:
    global _guard  # noqa: PLW0603  # one guard per process, started with the first child
    if sys.platform == "win32":
        return
    # Without a guard everything works, but for the case that it is there for.
    with _lock, contextlib.suppress(OSError):
        if _guard is None or _guard.poll() is not None:
            if line.startswith("-"):
                return  # It knew the group, and is gone.
            _guard = _started()
        if line and _guard.stdin is not None:
            os.write(_guard.stdin.fileno(), line.encode())


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Out of reach of the signal that ends our own group.
        start_new_session=True,
    )


def _forget() -> None:
    """A forked copy of this process has its own children, and so needs its own guard."""
    global _guard, _lock  # noqa: PLW0603  # see above
    _lock = threading.Lock()  # another thread may have held it
    if _guard is not None and _guard.stdin is not None:
        with contextlib.suppress(OSError):
            _guard.stdin.close()
    _guard = None


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget)
