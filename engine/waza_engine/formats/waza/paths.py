"""Paths of files as Go cleans them (waza-formats.md, sections 5.1 and 10)."""

import posixpath
from pathlib import Path


def cleaned(text: str) -> str:
    """Go's `filepath.Clean`."""
    clean = posixpath.normpath(text)
    return clean[1:] if clean.startswith("//") else clean


def is_inside(path: Path, folder: Path) -> bool:
    """Whether `path`, with all links followed, stands in `folder` or is it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False
