"""Paths of files as Go cleans them (docs/reference/waza-formats.md, sections 5.1 and 10)."""

import posixpath
from pathlib import Path


def cleaned(text: str) -> str:
    """Go's `filepath.Clean`."""
    clean = posixpath.normpath(text)
    return clean[1:] if clean.startswith("//") else clean


def leads_out(path: str) -> bool:
    """Whether a path is absolute or goes up, even if it would come back."""
    return path.startswith("/") or ".." in path.split("/")


def input_refusal(path: str) -> str:
    """Why waza does not take a path of an input file; empty when it does. Two dots count inside a name, too."""
    if path.startswith("/"):
        return "is absolute"
    return "contains '..'" if ".." in cleaned(path) else ""


def fixture_refusal(value: object) -> str:
    """Why `inputs.context.fixture` cannot be this value; empty when it can (docs/reference/waza-formats.md, section 5.1)."""
    if not isinstance(value, str) or not value.strip():
        return "must be a path"
    if leads_out(value) or cleaned(value) == ".":
        return f"must be a path below the eval's directory, not '{value}'"
    return ""


def is_inside(path: Path, folder: Path) -> bool:
    """Whether `path`, with all links followed, stands in `folder` or is it."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False
