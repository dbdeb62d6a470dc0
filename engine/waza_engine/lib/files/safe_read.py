"""Reading files that others have named: what is no file may never end, such as a named pipe or a device."""

import errno
import os
import stat
from pathlib import Path


def is_regular(path: Path) -> bool:
    """Whether a file stands there, links followed.

    Raises:
        OSError, ValueError: it cannot be looked at.

    """
    return stat.S_ISREG(path.stat().st_mode)


def regular_bytes(path: Path) -> bytes:
    """What stands in a file.

    Raises:
        OSError, ValueError: it cannot be read, or is no regular file.

    """
    _refuse_others(path)
    return path.read_bytes()


def regular_text(path: Path, encoding: str = "utf-8") -> str:
    """What stands in a file of text, however its lines end.

    Raises:
        OSError, ValueError: it cannot be read, or is no regular file.

    """
    _refuse_others(path)
    return path.read_text(encoding)


def _refuse_others(path: Path) -> None:
    if not is_regular(path) and not path.is_dir():  # Of folders the system speaks itself.
        raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
