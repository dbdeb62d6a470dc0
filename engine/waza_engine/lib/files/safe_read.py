"""Read only regular files: reading a named pipe or a device may never end.

A module of its own because `lib.paths` needs it, which the other modules of this package import.
"""

import errno
import os
import stat
from pathlib import Path


def is_regular(path: Path) -> bool:
    """Whether the path is a regular file; links are followed.

    Raises:
        OSError, ValueError: the path cannot be accessed.

    """
    return stat.S_ISREG(path.stat().st_mode)


def regular_bytes(path: Path) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        OSError, ValueError: the file cannot be read, or is not a regular file.

    """
    _require_regular(path)
    return path.read_bytes()


def regular_text(path: Path, encoding: str = "utf-8") -> str:
    r"""Return the text of a regular file with all line ends as `\n`.

    Raises:
        OSError, ValueError: the file cannot be read, or is not a regular file.

    """
    _require_regular(path)
    return path.read_text(encoding)


def _require_regular(path: Path) -> None:
    if not is_regular(path) and not path.is_dir():  # For a folder, reading raises IsADirectoryError.
        raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
