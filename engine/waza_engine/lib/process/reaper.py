"""Kill our child processes and delete our temporary files, even if we are killed ourselves.

A small guard process reads from a pipe that we hold open. We register our process groups and files there. When we end,
the pipe breaks, and the guard kills the remaining groups and deletes the remaining files. A parent-death signal would not
do: it reaches the child but not the child's own children, and it depends on the thread that started the child.

We can also be killed after a child has started but before we know its process id. Therefore `announce` puts a token into
the child's environment, by which the guard recognises our processes. This needs `/proc`, so it works on Linux only.

`kill_session` ends a child that leads a session, with all that it started. On Linux also daemons, which leave the session,
are known by the token in their environment. psutil alone would lose them, because it finds a process by its parent.
Elsewhere `lib.system.programs` finds what it can. `adopt_orphans` and `kill_orphans` end those that removed the token as well.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING

from waza_engine.lib.system import linux, programs

if TYPE_CHECKING:
    import subprocess

_VARIABLE = "WAZA_LSP_BIRTH"
# Every process in a session of ours is ours: an assertion leads its own group in the session of its worker.
_GUARD = """
import os, signal, sys, time
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
known = {"g": {}, "b": {}, "t": {}, "f": {}}
for line in sys.stdin:
    known[line[1]].pop(line[2:-1], None)
    if line[0] == "+":
        known[line[1]][line[2:-1]] = None
groups = set(map(int, known["g"]))
tokens = {("WAZA_LSP_BIRTH=" + it).encode() for it in [*known["b"], *known["t"]]}

def is_ours(pid):
    try:
        if os.getsid(pid) in groups:
            return True
        with open("/proc/%d/environ" % pid, "rb") as file:
            return bool(tokens) and not tokens.isdisjoint(file.read().split(bytes(1)))
    except OSError:
        return False

def kill(function, number):
    try:
        function(number, signal.SIGKILL)
    except OSError:
        pass

def pause():
    # With a clock that is set or faked meanwhile, a sleep may fail. What is left to do must be done all the same.
    try:
        time.sleep(0.02)
    except OSError:
        pass

# An announced process that is just starting shows its environment a moment later. Those of known groups have started,
# but may start others while they are killed.
for rest in reversed(range(20 if known["b"] else 5 if groups else 0)):
    try:
        pids = [int(it) for it in os.listdir("/proc") if it.isdigit()]
    except OSError:
        pids = []
    ours = [it for it in pids if it != os.getpid() and is_ours(it)]
    for group in groups:
        kill(os.killpg, group)
    for pid in ours:
        kill(os.kill, pid)
    if not (known["b"] or ours):
        break
    if rest:
        pause()

if known["f"]:
    import shutil
    paths = [bytes.fromhex(it).decode("utf-8", "surrogateescape") for it in known["f"]]
    for _ in range(50):
        # A process that was just killed may still write a last file.
        for path in paths:
            shutil.rmtree(path, ignore_errors=True)
            if not os.path.isdir(path):
                try:
                    os.remove(path)
                except OSError:
                    pass
        if not any(map(os.path.lexists, paths)):
            break
        pause()
"""

_lock = threading.Lock()  # children are started from several threads
_guard: "subprocess.Popen[bytes] | None" = None
_registered: dict[str, None] = {}
"""The current registrations, for a new guard if this one dies."""
_births = count(1)
_tokens: dict[int, str] = {}
"""The tokens of watched children, by process id."""
_trees: dict[int, programs.Tree] = {}
"""The watched children with all that they start, where the system does not list sessions."""
_adopts = False
_ROUNDS = 5
"""How often to look for processes again: some start others while they are killed."""


def announce(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Announce a child and return the environment to start it with; pass that to `watch` afterwards.

    The result extends `environment`, or our own if that is None.
    """
    result = dict(os.environ if environment is None else environment)
    if sys.platform != "linux":
        # At least start the guard before the child: that takes longer than some children live.
        _send("")
        return result
    result[_VARIABLE] = f"{os.getpid()}-{os.urandom(4).hex()}-{next(_births)}"
    _send("+b" + result[_VARIABLE])
    return result


def watch(group: int, environment: Mapping[str, str] | None = None) -> None:
    """Register a process group to be killed when this process ends. On Windows that is the child's job.

    With the `environment` that the child was started with, the daemons that it leaves behind are killed, too.
    """
    if sys.platform != "linux":
        _trees[group] = programs.Tree(group)
    _send(f"+g{group}")
    if environment is not None and (token := environment.get(_VARIABLE)):
        _tokens[group] = token
        _send("+t" + token)
        _send("-b" + token)


def forget(environment: Mapping[str, str]) -> None:
    """Withdraw an announcement: the child could not be started."""
    if _VARIABLE in environment:
        _send("-b" + environment[_VARIABLE])


def unwatch(group: int) -> None:
    """Unregister a group that has ended, because the system may reuse its id. What it left behind lives on."""
    if tree := _trees.pop(group, None):
        tree.release()
    if token := _tokens.pop(group, ""):
        _send("-t" + token)
    _send(f"-g{group}")


def watch_path(path: str) -> None:
    """Register a file or folder to be deleted when this process ends."""
    _send("+f" + os.fsencode(path).hex())


def unwatch_path(path: str) -> None:
    """Unregister a file or folder that is deleted already, or that should stay."""
    _send("-f" + os.fsencode(path).hex())


def _send(line: str) -> None:
    """Send a line to the guard, and start the guard if there is none. An empty line only starts it."""
    global _guard  # noqa: PLW0603  # one guard per process, started with the first child
    if sys.platform == "win32":
        return
    # Errors are ignored: the guard is needed only if we are killed.
    with _lock, contextlib.suppress(OSError):
        if line.startswith("-"):
            _registered.pop("+" + line[1:], None)
        elif line:
            _registered[line] = None
        if _guard is None or _guard.poll() is not None:
            if line.startswith("-") and not _registered:
                return
            _close_pipe(_guard)
            _guard = _start_guard()
            # The new guard may replace one that was killed.
            line = "\n".join(_registered)
        if line and _guard.stdin is not None:
            view = memoryview(f"{line}\n".encode())
            while view:
                view = view[os.write(_guard.stdin.fileno(), view) :]


def _start_guard() -> "subprocess.Popen[bytes]":
    # Imported late: writing a file does without.
    import subprocess

    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Without a token of our parent's: its guard must not kill ours.
        env={key: value for key, value in os.environ.items() if key != _VARIABLE},
        # A signal to our own group must not reach the guard.
        start_new_session=True,
    )


def _reset_after_fork() -> None:
    """Start without a guard: a forked copy of this process has its own children."""
    global _guard, _lock  # noqa: PLW0603  # see above
    _lock = threading.Lock()  # another thread may have held it
    _registered.clear()
    _tokens.clear()
    _trees.clear()
    _close_pipe(_guard)
    _guard = None


def _close_pipe(guard: "subprocess.Popen[bytes] | None") -> None:
    if guard is not None and guard.stdin is not None:
        with contextlib.suppress(OSError):
            guard.stdin.close()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_reset_after_fork)


def kill_session(leader: int) -> None:
    """Kill a child that leads a session, and what it has started; does nothing if all of it has ended.

    On Linux that is its group, its session, and all processes with its token.
    """
    if sys.platform != "linux":
        # First, because descendants without a parent are not found.
        (_trees.get(leader) or programs.Tree(leader)).kill()
    programs.kill_group(leader)
    mark = f"{_VARIABLE}={_tokens[leader]}".encode() if leader in _tokens else b""

    def is_left(pid: int) -> bool:
        return linux.session(pid) == leader or (bool(mark) and mark in linux.environment(pid))

    _kill_all(lambda: [pid for pid in linux.processes() if is_left(pid)])


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent has ended. For a process that runs agents; Linux only."""
    global _adopts  # noqa: PLW0603  # a property of the process
    _adopts = linux.become_subreaper()


def kill_orphans() -> None:
    """Kill the processes that `adopt_orphans` brought us, with their descendants; watched children stay."""
    if _adopts:
        _kill_all(_orphans)


def _kill_all(find: Callable[[], list[int]]) -> None:
    for _ in range(_ROUNDS):
        found = find()
        for pid in found:
            programs.kill(pid)
        if not found:
            return


def _orphans() -> list[int]:
    # Another thread may be starting the guard: it holds the lock until we know that process.
    with _lock:
        own = {int(it[2:]) for it in _registered if it.startswith("+g")}
        own |= {_guard.pid} if _guard is not None else set()
        return [pid for pid in linux.processes() if _is_orphan(pid, own)]


def _is_orphan(pid: int, own: set[int]) -> bool:
    """Whether a process descends from us, but not from a child of ours that is registered in `own`."""
    seen = set[int]()
    while pid not in seen and pid not in own:
        seen.add(pid)
        parent = linux.parent(pid)
        if parent == os.getpid():
            return True
        if parent <= 1:
            return False
        pid = parent
    return False
