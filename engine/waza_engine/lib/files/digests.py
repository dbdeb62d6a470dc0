"""Digests of file contents: they tell whether a result computed earlier is still valid."""

import contextlib
import hashlib
import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from waza_engine.lib.files.safe_read import open_regular

_LENGTH = 16
_MAX_BYTES = 256_000_000
"""Hashing this much takes a quarter of a second."""

FileDigests = tuple[tuple[str, str], ...]
"""File names, each with the digest of the file's content."""


def digest(content: bytes) -> str:
    """Return the start of the content's SHA-256 digest."""
    return hashlib.sha256(content).hexdigest()[:_LENGTH]


def file_digest(path: Path) -> str:
    """Return the digest of a file; "" if there is no such file or it cannot be read.

    For very large files, size and time stand for the content.
    """
    try:
        with open_regular(path, anywhere=True) as file:
            about = os.fstat(file.fileno())
            if about.st_size > _MAX_BYTES:
                return digest(b"%d %d" % (about.st_size, about.st_mtime_ns))
            return hashlib.file_digest(file, "sha256").hexdigest()[:_LENGTH]
    except (OSError, ValueError):
        return ""


def command_files(
    command: str,
    arguments: tuple[str, ...],
    folder: Path,
    path: str | None = None,
    digest_of: Callable[[Path], str] = file_digest,
) -> FileDigests:
    """Return the digests of a command's program and of the files that its words name.

    `command` is a program or a shell command line. Relative file names start from `folder`; programs are searched for in
    `path`. Pass a caching `digest_of` when many commands name the same large program.
    """
    words = dict.fromkeys(chain([command, *arguments], *map(_words, (command, *arguments))))
    found = ((it, digest_of(folder / it) or _program_digest(it, path, digest_of)) for it in words if it)
    return tuple(it for it in found if it[1])


def _program_digest(name: str, path: str | None, digest_of: Callable[[Path], str]) -> str:
    # ValueError: the name contains a NUL.
    with contextlib.suppress(OSError, ValueError):
        if found := shutil.which(name, path=path):
            return digest_of(Path(found))
    return ""


def _words(text: str) -> Iterator[str]:
    """Yield the words as a shell splits them, and for each the part after `=` (`--rules=rules.json`)."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for word in words:
        yield word
        yield word.partition("=")[2]
