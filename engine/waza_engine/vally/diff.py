"""What an agent changed in its workspace (docs/reference/vally.md, section 7.12)."""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.graders.base import GradingContext
from waza_engine.lib.text_diff import unified_diff


def diff_of(context: GradingContext) -> str | None:
    """The diff of the trial, recorded or made now; None when nobody knows what stood there before."""
    if context.diff is not None:
        return context.diff
    if context.baseline_files is None or context.workspace_dir is None:
        return None
    return unified_diff(context.baseline_files, dict(_files(context.workspace_dir)))


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [it for it in folders if it != ".git"]
        for name in names:
            place = Path(folder) / name
            if name != ".git" and place.is_file() and not place.is_symlink():
                yield place.relative_to(root).as_posix(), place.read_bytes()
