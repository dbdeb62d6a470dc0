"""Texts that are larger than any eval file: people are told so, and only their beginning is read."""

from collections.abc import Sequence

MOST_CHARACTERS = 2_000_000
"""A hundred times a long eval. What is less than this is read within seconds, whatever it is."""
_BEGINNING = 100_000
MESSAGE = (
    f"Larger than {MOST_CHARACTERS // 1_000_000} MB, which no eval file is; it is not checked. "
    "Keep what is large in files of its own"
)


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
