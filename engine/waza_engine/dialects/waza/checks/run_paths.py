"""Paths that are relative to the working directory of a run, which a file cannot know.

See docs/reference/waza-formats.md, section 10; section 20, row 40.
"""

import os
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.paths import real_path
from waza_engine.project.document import Document

_LEVELS = 6


class PathStatus(Enum):
    """Whether such a path exists."""

    FINE = auto()
    """It exists, or that cannot be known."""
    BESIDE_EVAL = auto()
    """It exists only for runs that start in the folder of the eval."""
    MISSING = auto()
    """It exists below no folder where a run may start."""


class RunPath(NamedTuple):
    """A path with its status. `better` is the spelling that works from the working directory of runs."""

    status: PathStatus
    path: Path | None = None
    better: str = ""


def run_path(document: Document, text: str) -> RunPath:
    """Return the status of a path. A run may start in any folder from the project's to the eval's."""
    return document.once((run_path, text), lambda: _run_path(document, text))


def _run_path(document: Document, text: str) -> RunPath:
    start, folder = document.process_dir, suite_folder(document)
    if start is None or folder is None or not document.files.is_directory(start):
        return RunPath(PathStatus.FINE)
    above = list(folder.parents)[:_LEVELS]
    for base in (start, *above):
        if document.files.exists(base / text):
            return RunPath(PathStatus.FINE, base / text)
    for base in (folder, folder / "fixtures"):
        if document.files.exists(base / text):
            better = Path(os.path.relpath(base / text, start)).as_posix()
            return RunPath(PathStatus.BESIDE_EVAL, base / text, better)
    return RunPath(PathStatus.MISSING)


def may_be_read(document: Document, path: Path) -> bool:
    """Whether a check may read a file that the document names: only inside the workspace."""
    inside = (document.process_dir, suite_folder(document))
    try:
        return any(it is not None and real_path(path).is_relative_to(real_path(it)) for it in inside)
    except (OSError, ValueError):  # such as a loop of links
        return False


def suite_folder(document: Document) -> Path | None:
    """Return the folder of the document's eval, else its own."""
    return document.suite.folder if document.suite is not None else document.folder
