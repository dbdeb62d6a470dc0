"""Write files atomically: an interruption or a full disk leaves the old file.

`require_inside` guards writes into a folder that other programs have filled: links and pipes there may be traps.
"""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from waza_engine.lib.files.safe_read import is_regular
from waza_engine.lib.paths import real_path
from waza_engine.lib.process import reaper
from waza_engine.lib.system.open_files import open_no_link

_MAX_NAME = 50
"""In characters of up to four bytes each; file systems limit names to 255 bytes."""


def write_text_atomic(path: Path, chunks: Iterable[str]) -> None:
    """Write a UTF-8 text file as `write_bytes_atomic` does.

    Raises:
        OSError: the file cannot be written; the old one is unchanged.

    """
    write_bytes_atomic(path, (it.encode("utf-8", "replace") for it in chunks))


def replace_inside(path: Path, folder: Path, chunks: Iterable[str]) -> None:
    """Write a UTF-8 text file atomically below `folder`. A link at `path` is replaced; its target stays as it is.

    Raises:
        OSError: the file cannot be written, or a link on the way to it leads out of the folder.

    """
    if not real_path(path.parent).is_relative_to(real_path(folder)):
        raise OSError(errno.EPERM, f"a link leads out of {folder}", os.fspath(path))
    with contextlib.suppress(FileNotFoundError):
        if path.is_symlink() or not path.is_file():
            path.unlink()
    write_text_atomic(path, chunks)


def write_bytes_atomic(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file and create its folder if needed. Links stay links; an old file's mode is kept.

    Raises:
        OSError: the file cannot be written, or a link leads out of the working directory; the old one is unchanged.

    """
    refuse_escape(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        # A pipe or a device, such as /dev/stdout.
        with path.open("wb") as file:
            file.writelines(chunks)
        return
    new = path.with_name(f".{path.name[:_MAX_NAME]}.{secrets.token_hex(4)}")
    reaper.watch_path(str(new))
    try:
        with new.open("xb") as file:
            if path.exists():
                # Set the mode before writing: the old file may be private.
                new.chmod(path.stat().st_mode & 0o7777)
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    finally:
        reaper.unwatch_path(str(new))


def require_writable(path: Path, *, is_folder: bool = False) -> None:
    """Check that a file, or files in a folder, can probably be written. Creates nothing.

    Raises:
        OSError: it cannot, or a link leads out of the working directory.

    """
    refuse_escape(path)
    require_access(path, is_folder=is_folder)


def require_access(path: Path, *, is_folder: bool = False) -> None:
    """Check that a file, or files in a folder, can probably be created or replaced, wherever links lead.

    Raises:
        OSError: it cannot.

    """
    path = Path(os.path.realpath(path))
    if path.is_dir() and not is_folder:
        raise _refusal(errno.EISDIR, path)
    if path.exists() and not path.is_dir() and not path.is_file():
        return  # A pipe or a device, such as /dev/stdout.
    above = path if is_folder else path.parent
    folder = next(it for it in (above, *above.parents) if it.exists())
    if not folder.is_dir():
        raise _refusal(errno.ENOTDIR, folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _refusal(errno.EACCES, folder)


def _refusal(number: int, path: Path) -> OSError:
    return OSError(number, os.strerror(number), os.fspath(path))


def refuse_escape(path: Path) -> None:
    """Check that no link leads out of the working directory from a path inside of it.

    The links of a repository are not the user's choice. To write through one, the user names its target.

    Raises:
        OSError: a link leads out.

    """
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return
    is_inside = Path(os.path.abspath(path)).is_relative_to(here)  # noqa: PTH100  # links stay
    if is_inside and not real_path(path).is_relative_to(real_path(here)):
        raise OSError(errno.EPERM, f"a link leads out of {here}; name its target instead", os.fspath(path))


def open_own(path: Path, *, append: bool = False) -> IO[bytes]:
    """Open a file of our own to write it, never through a link: new, emptied, or with `append` to read and extend it.

    Raises:
        OSError: the file cannot be written, or the path is a link or not a regular file.

    """
    flags = (os.O_RDWR | os.O_APPEND if append else os.O_WRONLY) | os.O_CREAT
    try:
        handle = open_no_link(os.fspath(path), flags)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENXIO}:
            raise OSError(error.errno, "the path is a link or not a regular file", os.fspath(path)) from error
        raise
    try:
        # Fails for everything but regular files.
        os.ftruncate(handle, os.fstat(handle).st_size if append else 0)
        return os.fdopen(handle, "a+b" if append else "wb")
    except BaseException:
        os.close(handle)
        raise


def require_inside(path: Path, folder: Path) -> None:
    """Check that writing `path` creates or changes a file in `folder` and nothing else.

    Raises:
        OSError, ValueError: a link leads out of the folder, or `path` is not a regular file.

    """
    if not real_path(path).is_relative_to(real_path(folder)):
        raise OSError(errno.EPERM, f"a link leads out of {folder}", os.fspath(path))
    if path.exists() and not is_regular(path):
        raise OSError(errno.EEXIST, "the path is not a regular file", os.fspath(path))
