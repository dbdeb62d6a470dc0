"""Files that are there as a whole or not at all: who is interrupted, or has no room left, leaves the old one.

Where a file may be written below a folder that others have filled: links and pipes there may be traps.
"""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from waza_engine.lib.files.safe_read import is_regular
from waza_engine.lib.paths import resolved
from waza_engine.lib.process import reaper

_LONGEST_NAME = 50
"""In characters, which may have four bytes each; file systems count bytes, and take 255."""


def write_whole(path: Path, chunks: Iterable[str]) -> None:
    """Write a text file as `write_whole_bytes` does.

    Raises:
        OSError: it cannot be written; what was there before still is.

    """
    write_whole_bytes(path, (it.encode("utf-8", "replace") for it in chunks))


def write_whole_bytes(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file, with its folder if need be. Links stay links, the mode of an old file stays.

    Raises:
        OSError: it cannot be written; what was there before still is.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        # A pipe or a device, such as /dev/stdout.
        with path.open("wb") as file:
            file.writelines(chunks)
        return
    new = path.with_name(f".{path.name[:_LONGEST_NAME]}.{secrets.token_hex(4)}")
    reaper.watch_path(str(new))
    try:
        with new.open("xb") as file:
            if path.exists():
                # Before there is anything to read in it: the old file may be nobody else's business.
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


def refuse_elsewhere(path: Path, folder: Path) -> None:
    """See that writing `path` makes or changes a file in `folder`, and nothing else.

    Raises:
        OSError, ValueError: a link leads out of the folder, or what stands there is no file.

    """
    if not resolved(path).is_relative_to(resolved(folder)):
        raise OSError(errno.EPERM, f"a link leads out of {folder}", os.fspath(path))
    if path.exists() and not is_regular(path):
        raise OSError(errno.EEXIST, "what is there is no file", os.fspath(path))
