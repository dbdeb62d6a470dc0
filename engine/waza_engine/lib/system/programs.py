"""Start programs so that they can be ended with all that they start, and end them.

Linux and macOS have process groups and sessions, which also hold programs whose parent has ended. Only Linux lists the
members of a session (`linux.py`). Elsewhere psutil finds the descendants of a program, and Windows puts it into a job
besides, which holds those whose parent has ended.
"""

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

_NICE = 5
_ROUNDS = 5
"""How often to look for descendants again: some start others while they are killed."""


def start_flags() -> int:
    """Return the `creationflags` of a program: on Windows a group of its own, and no window."""
    if sys.platform == "win32":
        import subprocess

        from waza_engine.lib.system.windows import has_console

        # A program shares our console, by which we can ask it to end. Without one, it would open a window.
        return subprocess.CREATE_NEW_PROCESS_GROUP | (0 if has_console() else subprocess.CREATE_NO_WINDOW)
    return 0


def ask_to_end(leader: int) -> None:
    """Ask a program that was started with `start_flags` and in its own session to end, with its group."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            os.kill(leader, signal.CTRL_BREAK_EVENT)
        else:
            os.killpg(leader, signal.SIGTERM)


def kill_group(leader: int) -> None:
    """Kill the process group of a program. Does nothing on Windows, which has none."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)


def kill(pid: int) -> None:
    """Kill one process."""
    with contextlib.suppress(OSError):
        # On Windows, SIGTERM kills as well.
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def is_in_foreground() -> bool:
    """Whether standard input is a terminal that this process may read; in the background, reading would stop it."""
    if not os.isatty(0):
        return False
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError):
        return os.getpgrp() == os.tcgetpgrp(0)
    return False


def exists(pid: int) -> bool:
    """Whether a process has this id."""
    if sys.platform == "win32":
        # `os.kill(pid, 0)` would send it Ctrl-C.
        import psutil

        return psutil.pid_exists(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class Tree:
    """A program that we have just started, and what it starts: to end them all, on systems that do not list sessions.

    A process id that was reused since belongs to no tree: psutil compares the times of the start.
    """

    def __init__(self, leader: int) -> None:
        """Remember a program. One that has ended already has an empty tree."""
        import psutil

        self._leader: psutil.Process | None = None
        with contextlib.suppress(psutil.Error):
            self._leader = psutil.Process(leader)
        if sys.platform == "win32":
            from waza_engine.lib.system.windows import Job

            self._job: Job | None = None
            with contextlib.suppress(OSError):
                self._job = Job(leader)

    def kill(self) -> None:
        """Kill the program and its descendants, on Windows also those whose parent has ended."""
        import psutil

        for _ in range(_ROUNDS):
            found = self._members()
            for it in found:
                with contextlib.suppress(psutil.Error):
                    it.kill()
            if not found:
                break
        if sys.platform == "win32" and self._job is not None:
            self._job.kill()

    def release(self) -> None:
        """Let the descendants live that the program has left behind."""
        if sys.platform == "win32" and self._job is not None:
            with contextlib.suppress(OSError):
                self._job.release()

    def _members(self) -> "list[psutil.Process]":
        """Return the program and its descendants, without those that have ended and wait for their parent."""
        import psutil

        members: list[psutil.Process] = []
        if self._leader is not None:
            with contextlib.suppress(psutil.Error):
                members = [*self._leader.children(recursive=True), self._leader]
        return [it for it in members if _is_alive(it)]


def _is_alive(process: "psutil.Process") -> bool:
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def lower_priority() -> None:
    """Let other programs go first from now on. Does nothing on Windows."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(_NICE)
