"""Ending a child that leads a session, with everything in it: also what leads a process group of its own there."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator


def kill_session(leader: int) -> None:
    """Kill the leader's process group, and on Linux the rest of its session; harmless when all of it has ended.

    Elsewhere nobody can be asked for the processes of a session.
    """
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    for it in _members(leader):
        with contextlib.suppress(OSError):
            os.kill(it, signal.SIGKILL)


def _members(leader: int) -> Iterator[int]:
    try:
        names = os.listdir("/proc")  # noqa: PTH208  # names are all that is needed
    except OSError:
        return
    for name in names:
        if name.isdigit() and _session(int(name)) == leader:
            yield int(name)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0
