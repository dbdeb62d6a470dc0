"""Open files without waiting or following links, and learn where an open file really is."""

import contextlib
import errno
import os
import sys

# Without O_NONBLOCK, opening a named pipe waits for its writer. Windows lacks most of these flags.
READ_AT_ONCE = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DEVICE, _DEVICE_SHARE = "\\\\?\\", "\\\\?\\UNC\\"


def real_path(handle: int, given: str) -> str:
    """Return the path of an open file without links.

    The system knows it. Resolving `given` again, as other systems must, can see a link that has changed since.
    """
    return _known_path(handle, given) or os.path.realpath(given)


def real_folder(path: str) -> str:
    """Return the path of a folder without links, with which paths of `real_path` can be compared.

    A folder that cannot be opened is resolved by its name.
    """
    if sys.platform == "darwin":
        # Two spellings of a name may mean the same folder: the system knows one.
        with contextlib.suppress(OSError, ValueError):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                return real_path(handle, path)
            finally:
                os.close(handle)
    return os.path.realpath(path)


def open_no_link(path: str, flags: int, mode: int = 0o666) -> int:
    """Open a file, or create it, but not through a link at the end of `path`. Never waits.

    Windows has no flag for this: there, links are refused before and after. A link that appears in between is refused
    after its empty target has been created.

    Raises:
        OSError: the file cannot be opened; with `errno.ELOOP`, the path is a link.

    """
    if hasattr(os, "O_NOFOLLOW"):
        return os.open(path, flags | _NO_LINK, mode)
    _refuse(path, is_wrong=os.path.islink(path))  # noqa: PTH114
    handle = os.open(path, flags | _NO_LINK, mode)
    try:
        _refuse(path, is_wrong=not os.path.samestat(os.lstat(path), os.fstat(handle)))
    except BaseException:
        os.close(handle)
        raise
    return handle


def _refuse(path: str, *, is_wrong: bool) -> None:
    if is_wrong:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def plain_path(path: str) -> str:
    r"""Return a path of Windows without its prefix for devices: `\\?\C:\x` is `C:\x`, `\\?\UNC\server\x` is `\\server\x`."""
    if path.startswith(_DEVICE_SHARE):
        return "\\\\" + path[len(_DEVICE_SHARE) :]
    return path.removeprefix(_DEVICE)


def _known_path(handle: int, given: str) -> str:
    """Return the path that the system knows; "" if it knows none, as for deleted files and some file systems."""
    real = ""
    with contextlib.suppress(OSError, ValueError):
        if sys.platform == "linux":
            real = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
            real = "" if real != given and real.endswith(" (deleted)") else real
        elif sys.platform == "darwin":
            import fcntl

            real = os.fsdecode(fcntl.fcntl(handle, fcntl.F_GETPATH, bytes(1024)).split(b"\0", 1)[0])
        elif sys.platform == "win32":
            import msvcrt

            from waza_engine.lib.system.windows import final_path

            real = plain_path(final_path(msvcrt.get_osfhandle(handle)))
    return real
