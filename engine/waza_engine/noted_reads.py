"""Which files a check has read: what it found holds until one of them changes.

Whoever remembers what checks have found opens `noting_reads`; whoever reads a file for a check calls `note_read`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

Stamp = tuple[int, int] | None
"""Time of the last change in nanoseconds and size in bytes; None: not there, or not to be looked at."""

_noted: ContextVar[set[Path] | None] = ContextVar("noted", default=None)


@contextmanager
def noting_reads() -> Iterator[set[Path]]:
    """Collects the files that are read inside the `with` block; also those that could not be read."""
    found: set[Path] = set()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note_read(path: Path) -> None:
    """Say that what is being found depends on this file."""
    noted = _noted.get()
    if noted is not None:
        noted.add(path)


def stamp(path: Path) -> Stamp:
    """What tells one state of a file from another."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return None
    return status.st_mtime_ns, status.st_size
