"""The sandbox of programs that we start for others: none, bubblewrap or Docker. `docs/sandbox.md` says what each guarantees.

Only the workspace is writable, and folders that the user names. `confined` turns the command of a program into the one
that starts it in the sandbox. The argument lists are pure functions, so that tests need neither tool.
"""

import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waza_engine.lib.process.environment import is_usual
from waza_engine.lib.process.run import run
from waza_engine.lib.process.sandbox_choice import IMAGE_VARIABLE, KINDS, Sandbox, sandbox_in
from waza_engine.lib.process.shortage import ShortageError
from waza_engine.lib.system.users import docker_user

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108  # hidden, not written
_SERVICES = ("/run", "/var/run")
"""Folders with the sockets of services: a read-only mount does not keep a program from connecting to them."""
_KERNEL = ("/proc/sys", "/proc/sysrq-trigger")
_LABEL = "waza-lsp"
_TRY_SECONDS = 20.0
_DOCKER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Mounts:
    """What a program sees: `writable` and `readable` are existing paths, `hidden` folders are empty for it."""

    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


_current: ContextVar[Sandbox | None] = ContextVar("sandbox", default=None)


@contextmanager
def using(sandbox: Sandbox) -> Iterator[None]:
    """Start the programs of others in this sandbox, in the `with` block and in what it starts."""
    token = _current.set(sandbox)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Sandbox:
    """Return the sandbox in use; without `using`, the one in our environment."""
    return _current.get() or sandbox_in(os.environ) or Sandbox()


def problem_with(sandbox: Sandbox) -> str:
    """Return why programs cannot be started in the sandbox on this machine; "" if they can."""
    if sandbox.unreadable:
        return sandbox.unreadable
    match sandbox.kind:
        case "none":
            return ""
        case "bwrap":
            return _bwrap_problem()
        case "docker" if not sandbox.image:
            return f"The sandbox 'docker' needs an image: --sandbox-image NAME, or {IMAGE_VARIABLE}"
        case "docker":
            found = shutil.which("docker")
            return "" if found else "The sandbox 'docker' needs Docker, but 'docker' is not on the PATH"
        case _:
            return f"Unknown sandbox '{sandbox.kind}'. Known sandboxes: {', '.join(KINDS)}"


@cache
def _bwrap_problem() -> str:
    if sys.platform != "linux":
        return f"The sandbox 'bwrap' needs Linux, but this is {sys.platform}. Use --sandbox docker"
    if shutil.which("bwrap") is None:
        return (
            "The sandbox 'bwrap' needs bubblewrap, but 'bwrap' is not on the PATH. Install the package bubblewrap, "
            "or use --sandbox none"
        )
    command = bwrap_command(Sandbox("bwrap"), ["true"], cwd="/", mounts=Mounts())
    try:
        done = run(command, seconds=_TRY_SECONDS)
    except (OSError, ShortageError) as error:
        return f"The sandbox 'bwrap' cannot be started: {error}"
    if done.timed_out:
        return f"The sandbox 'bwrap' cannot be started: it did not end within {_TRY_SECONDS:g} s"
    if done.status == 0:
        return ""
    reason = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.status}"
    return f"The sandbox 'bwrap' does not work on this machine: {reason}. It needs user namespaces"


def confined(
    command: Sequence[str], *, cwd: Path, environment: Mapping[str, str], writable: Iterable[Path | None] = ()
) -> list[str]:
    """Return the command that starts a program of others in the sandbox in use.

    `writable` are the folders that it may change, `environment` is the one that it is started with.

    Raises:
        FileNotFoundError: the program does not exist.

    """
    sandbox = current()
    if not sandbox.confines:
        return list(command)
    if problem := problem_with(sandbox):
        raise OSError(errno.EPERM, problem)
    folders = [_real(it) for it in (*writable, *map(Path, sandbox.write)) if it is not None]
    mounts = _mounts(command, cwd, environment, folders)
    if sandbox.kind == "docker":
        names = [it for it in environment if not is_usual(it) and it != "PWD"]
        return docker_command(sandbox, command, cwd=_real(cwd), mounts=mounts, names=names)
    if _program(command[0], cwd, environment) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command[0])
    return bwrap_command(sandbox, command, cwd=_real(cwd), mounts=mounts, environment=environment)


def bwrap_command(
    sandbox: Sandbox,
    command: Sequence[str],
    *,
    cwd: str,
    mounts: Mounts,
    environment: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the command line of bubblewrap. Deeper mounts come later, because each one covers what is below it."""
    flags = {
        **dict.fromkeys(mounts.hidden, "--tmpfs"),
        **dict.fromkeys(mounts.readable, "--ro-bind"),
        **dict.fromkeys(mounts.writable, "--bind"),
    }
    places: list[str] = []
    for path, flag in sorted(flags.items(), key=lambda it: it[0].count("/")):
        places += [flag, path] if flag == "--tmpfs" else [flag, path, path]
    variables = [it for it in ("TMPDIR", "TEMP", "TMP") if it in (environment or {})]
    return [
        "bwrap",
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if sandbox.network else ("--unshare-net",)),
        # Without it, a program of root could mount everything writable again.
        *("--die-with-parent", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        # For root these files are writable without any capability.
        *(part for it in _KERNEL for part in ("--ro-bind-try", it, it)),
        *places,
        *(part for it in variables for part in ("--setenv", it, "/tmp")),  # noqa: S108  # its own
        *("--chdir", cwd, "--"),
        *command,
    ]


def docker_command(
    sandbox: Sandbox, command: Sequence[str], *, cwd: str, mounts: Mounts, names: Iterable[str] = ()
) -> list[str]:
    """Return the command line of Docker. `names` are variables of our environment that the program gets."""
    readable = [it for it in mounts.readable if it not in mounts.writable]
    user = docker_user()
    return [
        *("docker", "run", "--rm", "--interactive", "--init", "--label", f"{_LABEL}={os.getpid()}"),
        *("--network", "bridge" if sandbox.network else "none", "--read-only", "--tmpfs", "/tmp"),  # noqa: S108
        *("--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pids-limit", "4096"),
        *(("--user", user) if user else ()),
        *(part for it in readable for part in ("--mount", f"type=bind,source={it},target={it},readonly")),
        *(part for it in mounts.writable for part in ("--mount", f"type=bind,source={it},target={it}")),
        *(part for it in names for part in ("--env", it)),
        *("--workdir", cwd, sandbox.image),
        *command,
    ]


def end_containers() -> None:
    """Stop the containers that this process has started and that still run: killing Docker's client leaves them."""
    if current().kind != "docker":
        return
    with suppress(OSError, ShortageError):
        label = ["--filter", f"label={_LABEL}={os.getpid()}"]
        done = run(["docker", "ps", "--quiet", *label], seconds=_DOCKER_SECONDS)
        if names := done.stdout.decode().split():
            run(["docker", "kill", *names], seconds=_DOCKER_SECONDS)


def _mounts(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], writable: Sequence[str]
) -> Mounts:
    """Return the mounts of a program: what is named to it in a hidden folder stays visible."""
    temporary = {_real(Path(it)) for it in (*_TEMPORARY, tempfile.gettempdir())}
    temporary = {it for it in temporary if os.path.isdir(it)}  # noqa: PTH112
    services = {_real(Path(it)) for it in _SERVICES if os.path.isdir(it)}  # noqa: PTH112
    named = {_real(cwd), _real(Path.cwd()), *map(_real, map(Path, (sys.prefix, sys.base_prefix)))}
    for text in (*command, *environment.values()):
        named.update(_paths_in(text, temporary))
    # A folder that contains all temporary files must not appear as a whole.
    readable = {it for it in named if _is_below(it, temporary) and os.path.exists(it)}  # noqa: PTH110
    resolver = os.path.realpath("/etc/resolv.conf")
    if _is_below(resolver, services):
        readable.add(resolver)
    hidden = {*temporary, *services}
    outermost = {it for it in hidden if not _is_below(it, hidden)}
    return Mounts(
        tuple(dict.fromkeys(it for it in writable if os.path.isdir(it))),  # noqa: PTH112
        tuple(sorted(readable - set(writable))),
        tuple(sorted(outermost)),
    )


def _paths_in(text: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the paths below `folders` in an argument or a variable."""
    for folder in folders:
        if folder not in text:
            continue
        pieces = [text, *text.split(os.pathsep)]
        pieces += re.findall(rf"(?<![\w/.-]){re.escape(folder)}/[^\s:;,='\"]+", text)
        yield from (_real(Path(it)) for it in pieces if it.startswith(f"{folder}/") and "\0" not in it)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{it.rstrip('/')}/") for it in folders)


def _real(path: Path) -> str:
    return os.path.realpath(path)


def _program(name: str, cwd: Path, environment: Mapping[str, str]) -> str | None:
    at = os.path.join(cwd, name) if os.path.dirname(name) else name  # noqa: PTH118, PTH120
    return shutil.which(at, path=environment.get("PATH"))
