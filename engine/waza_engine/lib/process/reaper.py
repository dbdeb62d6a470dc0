"""Nothing outlives us, even when we are killed without a chance to clean up: no child, no temporary file.

A tiny guard process holds the other end of a pipe. We tell it what is ours; when the pipe breaks, because we are gone, it
kills the process groups that are left and deletes the files and folders. A parent-death signal would reach a child only, not what
the child has started, and it hangs on the thread that started the child, not on the process.

Between the birth of a child and the moment that we know its number we can be killed, too. So a child is `announced` before
it is started: a word in its environment tells the guard which processes are ours. Only Linux can be asked for that.

Ending a child that leads a session, with everything in it: also what leads a process group of its own there.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from itertools import count

_VARIABLE = "WAZA_LSP_BIRTH"
# What stands in a session of ours is ours: an assertion leads a group of its own in the session of its worker.
_GUARD = """
import os, signal, sys, time
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
known = {"g": {}, "b": {}, "f": {}}
for line in sys.stdin:
    known[line[1]].pop(line[2:-1], None)
    if line[0] == "+":
        known[line[1]][line[2:-1]] = None
groups = set(map(int, known["g"]))
births = {("WAZA_LSP_BIRTH=" + it).encode() for it in known["b"]}

def is_ours(pid):
    try:
        if os.getsid(pid) in groups:
            return True
        with open("/proc/%d/environ" % pid, "rb") as file:
            return bool(births) and not births.isdisjoint(file.read().split(bytes(1)))
    except OSError:
        return False

def kill(function, number):
    try:
        function(number, signal.SIGKILL)
    except OSError:
        pass

# One that is being started while we look shows its environment a moment later.
for _ in range(20 if births else 1 if groups else 0):
    try:
        pids = [int(it) for it in os.listdir("/proc") if it.isdigit()]
    except OSError:
        pids = []
    found = [it for it in pids if it != os.getpid() and is_ours(it)]
    for it in groups:
        kill(os.killpg, it)
    for it in found:
        kill(os.kill, it)
    if births:
        time.sleep(0.02)

if known["f"]:
    import shutil
    paths = [bytes.fromhex(it).decode("utf-8", "surrogateescape") for it in known["f"]]
    for _ in range(50):
        # What was just killed may be writing a last file.
        for it in paths:
            shutil.rmtree(it, ignore_errors=True)
            if not os.path.isdir(it):
                try:
                    os.remove(it)
                except OSError:
                    pass
        if not any(map(os.path.lexists, paths)):
            break
        time.sleep(0.02)
"""

_lock = threading.Lock()  # children are started from several threads
_guard: subprocess.Popen[bytes] | None = None
_known: dict[str, None] = {}
"""What the guard has been told and not been told to forget, for another one in its place."""
_births = count(1)


def announced(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a child that is started next, and then `watch`ed with it; None stands for our own."""
    found = dict(os.environ if environment is None else environment)
    if sys.platform != "linux":
        # The guard at least is there before the child: starting it takes longer than a child may have.
        _tell("")
        return found
    found[_VARIABLE] = f"{os.getpid()}-{os.urandom(4).hex()}-{next(_births)}"
    _tell("+b" + found[_VARIABLE])
    return found


def watch(group: int, environment: Mapping[str, str] | None = None) -> None:
    """Have the process group killed when this process dies. Does nothing on Windows, which has no groups."""
    _tell(f"+g{group}")
    if environment is not None:
        forget(environment)


def forget(environment: Mapping[str, str]) -> None:
    """What was announced has not been born, or is dead already."""
    if _VARIABLE in environment:
        _tell("-b" + environment[_VARIABLE])


def unwatch(group: int) -> None:
    """The group has ended; its number may soon belong to somebody else."""
    _tell(f"-g{group}")


def watch_path(path: str) -> None:
    """Have a file or folder of ours deleted when this process dies."""
    _tell("+f" + os.fsencode(path).hex())


def unwatch_path(path: str) -> None:
    """It is gone, or to be kept."""
    _tell("-f" + os.fsencode(path).hex())


def _tell(what: str) -> None:
    global _guard  # noqa: PLW0603  # one guard per process, started with the first child
    if sys.platform == "win32":
        return
    # Without a guard everything works, but for the case that it is there for.
    with _lock, contextlib.suppress(OSError):
        if what.startswith("-"):
            _known.pop("+" + what[1:], None)
        elif what:
            _known[what] = None
        if _guard is None or _guard.poll() is not None:
            if what.startswith("-") and not _known:
                return
            _guard = _started()
            # One in the place of another, which was killed, has to know everything.
            what = "\n".join(_known)
        if what and _guard.stdin is not None:
            view = memoryview(f"{what}\n".encode())
            while view:
                view = view[os.write(_guard.stdin.fileno(), view) :]


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _GUARD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Nobody else's announcement: whoever has started us must not take the guard for a child of ours.
        env={key: value for key, value in os.environ.items() if key != _VARIABLE},
        # Out of reach of the signal that ends our own group.
        start_new_session=True,
    )


def _forget() -> None:
    """A forked copy of this process has its own children, and so needs its own guard."""
    global _guard, _lock  # noqa: PLW0603  # see above
    _lock = threading.Lock()  # another thread may have held it
    _known.clear()
    if _guard is not None and _guard.stdin is not None:
        with contextlib.suppress(OSError):
            _guard.stdin.close()
    _guard = None


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forget)


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
