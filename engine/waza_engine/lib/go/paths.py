"""Paths as Go's `filepath` reads them: purely by their text."""

import posixpath


def cleaned(text: str) -> str:
    """Go's `filepath.Clean`."""
    clean = posixpath.normpath(text)
    return clean[1:] if clean.startswith("//") else clean


def leads_out(path: str) -> bool:
    """Whether a path is absolute or goes up, even if it would come back."""
    return path.startswith("/") or ".." in path.split("/")
