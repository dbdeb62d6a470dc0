"""Texts that are larger than any eval file: people are told so, and only their beginning is read."""

from collections.abc import Sequence

from waza_engine.yaml_nodes import MOST_CHARACTERS, TOO_LARGE

__all__ = ["MESSAGE", "MOST_CHARACTERS", "beginning"]

_BEGINNING = 100_000
MESSAGE = f"{TOO_LARGE}; it is not checked. Keep what is large in files of its own"


def beginning(lines: Sequence[str]) -> list[str]:
    """The first lines of a text, as many as tell what kind of file it is."""
    found: list[str] = []
    left = _BEGINNING
    for it in lines:
        left -= len(it)
        if left < 0:
            break
        found.append(it)
    return found or [""]
