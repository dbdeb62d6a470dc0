"""Paths that start where a run is started, which a file cannot know.

See docs/reference/waza-formats.md, section 10; section 20, row 40.
"""

import os
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from waza_engine.project.document import Document

_LEVELS = 6


class Standing(Enum):
    """What can be said of such a path."""

    FINE = auto()
    """It is there, or nothing can be known."""
    BESIDE_EVAL = auto()
    """It is there only when runs are started in the folder of the eval."""
    MISSING = auto()
    """It is nowhere it could start from."""


class RunPath(NamedTuple):
    """A path with its standing; `better` is the spelling that works where runs are started."""

    standing: Standing
    path: Path | None = None
    better: str = ""


def run_path(document: Document, text: str) -> RunPath:
    """How a path stands. A run may well be started in a folder between the project's and the eval's."""
    return document.once((run_path, text), lambda: _run_path(document, text))


def _run_path(document: Document, text: str) -> RunPath:
    start, folder = document.process_dir, suite_folder(document)
    if start is None or folder is None or not document.files.is_directory(start):
        return RunPath(Standing.FINE)
    above = list(folder.parents)[:_LEVELS]
    for base in (start, *above):
        if document.files.exists(base / text):
            return RunPath(Standing.FINE, base / text)
    for base in (folder, folder / "fixtures"):
        if document.files.exists(base / text):
            better = Path(os.path.relpath(base / text, start)).as_posix()
            return RunPath(Standing.BESIDE_EVAL, base / text, better)
    return RunPath(Standing.MISSING)


def may_be_read(document: Document, path: Path) -> bool:
    """Whether a check may look into a file that a path of the document names: none outside the workspace."""
    inside = (document.process_dir, suite_folder(document))
    try:
        return any(it is not None and path.resolve().is_relative_to(it.resolve()) for it in inside)
    except (OSError, ValueError):  # such as a loop of links
        return False


def suite_folder(document: Document) -> Path | None:
    """The folder of the eval that the document is or belongs to, else its own."""
    return document.suite.folder if document.suite is not None else document.folder
