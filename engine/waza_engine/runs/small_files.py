"""The files of a folder of the user's, as far as they can belong to what is tested: no dependencies, nothing big.

What waza copies around a trigger prompt since v0.25 (docs/reference/waza-formats.md, section 6).
"""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.suite import InputFile

_MOST_BYTES = 1 << 20
_SKIPPED = frozenset(["vendor", "node_modules"])


def small_files(root: Path) -> Iterator[InputFile]:
    """The files below `root`, by name; links, hidden folders, big files and unreadable ones are left out."""
    if "\0" in os.fspath(root):
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(it for it in folders if not it.startswith(".") and it not in _SKIPPED)
        for name in sorted(names):
            path = Path(folder, name)
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MOST_BYTES:
                    yield InputFile(path.relative_to(root).as_posix(), path.read_bytes())
            except OSError:
                continue
