"""Which files and folders a check has asked about: what it found holds until something changes there.

Whoever remembers what checks have found opens `noting_reads`; whoever asks the disk for a check calls `note_read`.
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
    """Collects what is asked for inside the `with` block; also what is not there. An outer block is told nothing."""
    found: set[Path] = set()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def note_read(path: Path) -> None:
    """Say that what is being found depends on this file or folder."""
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
