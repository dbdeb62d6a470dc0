"""Texts that tell one content of a file from another: whether something that was decided before still holds."""

import contextlib
import hashlib
import shlex
import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

_LENGTH = 16

FileDigests = tuple[tuple[str, str], ...]
"""Names of files, each with the digest of what is in it."""


def digest(content: bytes) -> str:
    """A text that tells one content of a file from another."""
    return hashlib.sha256(content).hexdigest()[:_LENGTH]


def file_digest(path: Path) -> str:
    """The digest of a file; "" for what is none, or cannot be read."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
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
    """The program of a command, and the files that its words name in `folder` or with whole paths.

    `command` is a program, or a line for a shell; `path` are the folders that programs are looked for in. With a
    `digest_of` that remembers, many commands can name one big program.
    """
    words = dict.fromkeys(chain([command, *arguments], *map(_words, (command, *arguments))))
    found = ((it, digest_of(folder / it) or _program_digest(it, path, digest_of)) for it in words if it)
    return tuple(it for it in found if it[1])


def _program_digest(name: str, path: str | None, digest_of: Callable[[Path], str]) -> str:
    # ValueError: a NUL.
    with contextlib.suppress(OSError, ValueError):
        if found := shutil.which(name, path=path):
            return digest_of(Path(found))
    return ""


def _words(text: str) -> Iterator[str]:
    """The words of a text as a shell splits it, and what stands behind `=` in them (`--rules=rules.json`)."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for it in words:
        yield it
        yield it.partition("=")[2]
