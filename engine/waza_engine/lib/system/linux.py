"""All processes of the system, as `/proc` shows them. Nothing is found on systems without it."""

import os
import sys
from collections.abc import Iterator


def processes() -> Iterator[int]:
    """Yield the ids of all processes but our own."""
    try:
        names = os.listdir("/proc")  # noqa: PTH208  # names, not paths
    except OSError:
        return
    yield from (int(it) for it in names if it.isdigit() and int(it) != os.getpid())


def session(pid: int) -> int:
    """Return the session of a process; 0 if it has ended."""
    if sys.platform == "win32":
        return 0
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def environment(pid: int) -> list[bytes]:
    """Return the environment of a process; empty if it has ended or belongs to somebody else."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            return file.read().split(b"\0")
    except OSError:
        return []


def parent(pid: int) -> int:
    """Return the parent of a living process; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            state, number, *_ = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return 0
    return 0 if state == b"Z" else int(number)


def become_subreaper() -> bool:
    """Become the parent of all descendants whose own parent has ended. Returns whether the system can do that."""
    if sys.platform != "linux":
        return False
    # Imported late: only processes that run agents need it.
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_SET_SUBREAPER, 1, 0, 0, 0) == 0)


_SET_SUBREAPER = 36


def limit_data(pid: int, size: int) -> None:
    """Limit the memory of another process, and let it write no core dump."""
    if sys.platform == "linux":
        import contextlib
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
