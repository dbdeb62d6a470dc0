"""Start a program behind a wall that the Linux kernel enforces: `python -I -S -c SOURCE SETTINGS PROGRAM ARGUMENT...`.

The wall is inherited by everything that the program starts, and nothing can take it down:

- landlock: it opens only the files of its interpreter, for reading; it executes only the interpreter; it writes only to
  `/dev/null`; TCP, abstract sockets and signals to processes outside are refused as far as the kernel's version can;
- seccomp: no sockets, no tracing, no reading of other processes' memory, no change of modes, owners or namespaces, and
  with `threads_only` no new processes;
- no new privileges; started by root, it runs as `nobody`, who keeps only the right to read files on the way to the
  interpreter. So a limit on the number of processes also holds there.

Whatever the kernel lacks is left out; `missing_parts` names it. This module imports nothing of the engine, because its
source runs in an isolated interpreter.
"""

import contextlib
import ctypes
import json
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from functools import cache

_NOBODY = 65534
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE, _READ, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FILE_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file rights that each version of landlock knows."""
_NET_RIGHTS = 0b11
_SCOPES = 0b11
_NET_ABI, _SCOPE_ABI = 4, 6
_SET_DUMPABLE, _KEEP_CAPABILITIES, _NO_NEW_PRIVILEGES = 4, 8, 38
_AMBIENT, _RAISE, _READ_SEARCH = 47, 2, 2
_CAPABILITY_VERSION = 0x20080522
_EPERM, _ENOSYS = 1, 38
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_CLONE_THREAD = 0x00010000

_MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""The kernel's number of each architecture, and the column in `_REFUSED`."""
_SECCOMP = (317, 277)
_ACTION_AVAILABLE = 2
_FORK, _VFORK, _CLONE, _CLONE3, _PRLIMIT = (57, None), (58, None), (56, 220), (435, 435), (302, 261)
_REFUSED: tuple[tuple[int | None, int | None], ...] = (
    # Sockets: socket, connect, accept, sendto, sendmsg, bind, listen, socketpair, accept4, sendmmsg.
    *(
        (41, 198),
        (42, 203),
        (43, 202),
        (44, 206),
        (46, 211),
        (49, 200),
        (50, 201),
        (53, 199),
        (288, 242),
        (307, 269),
    ),
    # Other processes: ptrace, process_vm_readv and writev, kcmp, pidfd_open, getfd, send_signal, process_madvise.
    *((101, 117), (310, 270), (311, 271), (312, 272), (434, 434), (438, 438), (424, 424), (440, 440)),
    # setsid (to leave the group that is killed), setpriority, sched_setscheduler, sched_setaffinity, execveat.
    *((112, 157), (141, 140), (144, 119), (203, 122), (322, 281)),
    # Namespaces and mounts: pivot_root, chroot, mount, umount2, unshare, setns, and the newer ways to mount.
    *((155, 41), (161, 51), (165, 40), (166, 39), (272, 97), (308, 268)),
    *((it, it) for it in (428, 429, 430, 431, 432, 433, 442)),
    # The kernel itself: bpf, perf_event_open, userfaultfd, io_uring, keys, modules, kexec, reboot, clocks, names, swap.
    *(
        (321, 280),
        (298, 241),
        (323, 282),
        (425, 425),
        (426, 426),
        (427, 427),
        (248, 217),
        (249, 218),
        (250, 219),
    ),
    *(
        (175, 105),
        (313, 273),
        (176, 106),
        (246, 104),
        (320, 294),
        (169, 142),
        (164, 170),
        (227, 112),
        (159, 171),
    ),
    *(
        (170, 161),
        (171, 162),
        (167, 224),
        (168, 225),
        (163, 89),
        (179, 60),
        (172, None),
        (173, None),
        (103, 116),
    ),
    *((153, 58), (135, 92)),
    # Files without a name or by handle: memfd_create, memfd_secret, name_to_handle_at, open_by_handle_at.
    *((319, 279), (447, 447), (303, 264), (304, 265)),
    # What landlock does not watch: modes, owners, times, extended attributes, inotify, fanotify.
    *((90, None), (91, 52), (268, 53), (452, 452), (92, None), (93, 55), (94, None), (260, 54)),
    *((132, None), (235, None), (261, None), (280, 88)),
    *((188, 5), (189, 6), (190, 7), (197, 14), (198, 15), (199, 16)),
    *((253, None), (254, 27), (294, 26), (300, 262)),
    # Memory and queues that processes share by name: shmget, shmat, shmctl, semget, semop, msgget, msgsnd, msgrcv, mq.
    *(
        (29, 194),
        (30, 196),
        (31, 195),
        (64, 190),
        (65, 193),
        (68, 186),
        (69, 189),
        (70, 188),
        (240, 180),
        (241, 181),
    ),
)
"""Numbers of refused system calls on x86_64 and aarch64."""

_MODULES = ("_json", "_struct", "binascii", "math", "resource", "select", "unicodedata")
"""Modules of the interpreter that may be libraries of their own and that honest assertions need."""
_LIBRARIES = frozenset(
    [
        *_MODULES,
        *("_bisect", "_codecs_cn", "_codecs_hk", "_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw"),
        *("_contextvars", "_csv", "_datetime", "_decimal", "_heapq", "_multibytecodec", "_opcode", "_pickle"),
        *("_queue", "_random", "_statistics", "_typing", "_zoneinfo", "array", "zlib"),
    ]
)
"""Those of `lib-dynload` that may be loaded: none of them reaches processes, sockets or memory."""
_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120  # pathlib takes longer to import than all of this
_NOT_STANDARD = frozenset(["lib-dynload", "site-packages", "dist-packages", "test", "ensurepip", "idlelib"])


def main() -> None:
    """Build the wall and become the program."""
    settings = json.loads(sys.argv[1])
    program = sys.argv[2:]
    read = [*settings["read"], *(_python_files() if settings["python"] else ())]
    # In this order: privileges are needed to drop privileges, and rules before the files are out of reach.
    _become_nobody(program[0])
    _prctl(_NO_NEW_PRIVILEGES, 1)
    # The import system lists the folder of the standard library.
    _restrict_files(read, [program[0], *_loaders(read)], [_LIBRARY] if settings["python"] else [])
    _restrict_calls(threads_only=settings["threads_only"])
    os.execv(program[0], program)  # noqa: S606  # no shell is wanted


@cache
def missing_parts() -> tuple[str, ...]:
    """Return what this system cannot enforce, in words for the user; empty where the wall is complete."""
    if sys.platform != "linux":
        return (f"{sys.platform} has neither landlock nor seccomp",)
    missing = []
    abi = _landlock_version()
    if not abi:
        missing.append("the kernel has no landlock: files are not protected")
    elif abi < _SCOPE_ABI:
        missing.append(f"landlock is version {abi}: signals to other processes are not refused")
    if _machine() not in _MACHINES:
        missing.append(f"no list of system calls for {_machine()}: seccomp is off")
    elif not _has_seccomp():
        missing.append("the kernel has no seccomp: sockets and processes are not refused")
    return tuple(missing)


def hide_environment() -> None:
    """Make this process's environment and memory unreadable for other processes of the same user."""
    if sys.platform == "linux":
        _prctl(_SET_DUMPABLE, 0)


def _syscall(number: int, *arguments: object) -> int:
    return int(_libc().syscall(ctypes.c_long(number), *arguments))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, *arguments: int) -> int:
    rest = (*arguments, 0, 0, 0, 0)[:4]
    return int(_libc().prctl(option, *map(ctypes.c_ulong, rest)))


def _machine() -> str:
    if sys.platform != "linux":
        return ""
    return os.uname().machine


def _landlock_version() -> int:
    return max(0, _syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def _has_seccomp() -> bool:
    if _machine() not in _MACHINES:
        return False
    call = _SECCOMP[_MACHINES[_machine()][1]]
    action = ctypes.c_uint32(_REFUSE)
    return _syscall(call, ctypes.c_uint(_ACTION_AVAILABLE), ctypes.c_uint(0), ctypes.byref(action)) == 0


def _require(result: int, what: str) -> int:
    """Start nothing if the kernel has a part of the wall but does not build it."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"the wall cannot be built: {what}")
    return result


def _become_nobody(program: str) -> None:
    """Drop root's rights. A container may refuse that; then the rest of the wall must do."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        _prctl(_KEEP_CAPABILITIES, 1)
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        # Only the right to pass folders such as /root, in which the interpreter may be.
        right = 1 << _READ_SEARCH
        header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
        data = struct.pack("=IIIIII", right, right, right, 0, 0, 0)
        _libc().capset(header, data)
        if not os.access(program, os.X_OK):
            _prctl(_AMBIENT, _RAISE, _READ_SEARCH)


def _restrict_files(readable: Iterable[str], executable: Iterable[str], listed: Iterable[str]) -> None:
    abi = _landlock_version()
    if not abi:
        return
    handled = (1 << _FILE_RIGHTS_BY_ABI.get(abi, 16)) - 1
    attributes = struct.pack(
        "=QQQ", handled, _NET_RIGHTS if abi >= _NET_ABI else 0, _SCOPES if abi >= _SCOPE_ABI else 0
    )
    size = 24 if abi >= _SCOPE_ABI else 16 if abi >= _NET_ABI else 8
    rules = _syscall(_LANDLOCK_CREATE, attributes[:size], ctypes.c_size_t(size), ctypes.c_uint(0))
    _require(rules, "landlock_create_ruleset")
    for path in readable:
        _allow(rules, path, _READ | _READ_DIR)
    for path in listed:
        _allow(rules, path, _READ_DIR)
    for path in executable:
        _allow(rules, path, _READ | _EXECUTE)
    _allow(rules, os.devnull, _READ | _WRITE)
    restricted = _syscall(_LANDLOCK_RESTRICT, ctypes.c_int(rules), ctypes.c_uint(0))
    _require(restricted, "landlock_restrict_self")
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        if not os.path.isdir(path):  # noqa: PTH112
            rights &= ~_READ_DIR
        rule = struct.pack("=Qi", rights, handle)
        _syscall(_LANDLOCK_ADD, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint(0))
        os.close(handle)


def _restrict_calls(*, threads_only: bool) -> None:
    if not _has_seccomp():
        return
    machine, column = _MACHINES[_machine()]
    program = b"".join(_filter(machine, column, threads_only=threads_only))
    buffer = ctypes.create_string_buffer(program)
    # Not a `ctypes.Structure`: Python 3.14 imports a module to make one, and by now its files are out of reach.
    about = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    filtered = _syscall(_SECCOMP[column], ctypes.c_uint(1), ctypes.c_uint(0), about)
    _require(filtered, "seccomp")


def _filter(machine: int, column: int, *, threads_only: bool) -> Iterator[bytes]:
    """Yield the instructions: the architecture, the exceptions, the refused calls, and then everything is allowed."""

    def load(offset: int) -> bytes:
        return struct.pack("=HBBI", 0x20, 0, 0, offset)

    def jump(code: int, value: int, then: int, otherwise: int) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, value)

    def answer(value: int) -> bytes:
        return struct.pack("=HBBI", 0x06, 0, 0, value)

    equal, at_least, has_bits = 0x15, 0x35, 0x45
    number, architecture, first_argument = 0, 4, 16
    yield from (load(architecture), jump(equal, machine, 1, 0), answer(_KILL), load(number))
    if column == 0:
        # Calls of the x32 interface have numbers of their own.
        yield from (jump(at_least, 0x40000000, 0, 1), answer(_KILL))
    # Limits of other processes.
    yield from (jump(equal, _PRLIMIT[column] or 0, 0, 4), load(first_argument), jump(equal, 0, 1, 0))
    yield from (answer(_REFUSE | _EPERM), load(number))
    if threads_only:
        # The C library falls back to clone, whose flags can be read.
        yield from (jump(equal, _CLONE3[column] or 0, 0, 1), answer(_REFUSE | _ENOSYS))
        yield from (jump(equal, _CLONE[column] or 0, 0, 4), load(first_argument))
        yield from (jump(has_bits, _CLONE_THREAD, 1, 0), answer(_REFUSE | _EPERM), load(number))
    for it in (*_REFUSED, *((_FORK, _VFORK) if threads_only else ())):
        if (call := it[column]) is not None:
            yield from (jump(equal, call, 0, 1), answer(_REFUSE | _EPERM))
    yield answer(_ALLOW)


def _python_files() -> Iterator[str]:
    """Yield the files that our interpreter needs: its libraries and the standard library."""
    for name in _MODULES:
        __import__(name)
    for entry in os.scandir(_LIBRARY):
        if entry.name not in _NOT_STANDARD:
            yield entry.path
    dynamic = os.path.join(_LIBRARY, "lib-dynload")  # noqa: PTH118
    with contextlib.suppress(OSError):
        yield from (it.path for it in os.scandir(dynamic) if it.name.partition(".")[0] in _LIBRARIES)
    yield from (it for it in _mapped() if not it.startswith(dynamic) and "ffi" not in it)
    yield "/etc/ld.so.cache"


def _loaders(read: Iterable[str]) -> Iterator[str]:
    """Yield the dynamic loaders, of which the kernel starts the program's: it may be another than ours."""
    return (it for it in (*read, *_mapped()) if os.path.basename(it).startswith(("ld-", "ld.so.1")))  # noqa: PTH119


def _mapped() -> list[str]:
    """Return the files that are mapped into this process."""
    with open("/proc/self/maps", encoding="utf-8") as maps:  # noqa: PTH123
        paths = [line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/" in line]
    return [*dict.fromkeys(it for it in paths if it.startswith("/"))]


if __name__ == "__main__":
    main()
