"""Names that nothing else in a suite has, near to one that is taken."""

from collections.abc import Collection
from itertools import count
from pathlib import Path


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name itself, or with the first number that makes it one of its own."""
    if wanted not in taken:
        return wanted
    return next(name for it in count(2) if (name := f"{wanted}-{it}") not in taken)


def name_of_file(path: Path | None) -> str:
    """What a file is called, as a task may be called after it; empty without a file."""
    return path.name.split(".")[0] if path is not None else ""
