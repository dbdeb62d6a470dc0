"""The width of text in columns of a terminal."""

import unicodedata


def columns(text: str) -> int:
    """Return the width of a text: wide characters, as of Chinese and Japanese, take two columns, accents of others none."""
    if text.isascii():
        return len(text)
    return sum(_columns(it) for it in text)


def padded(text: str, width: int) -> str:
    """Return the text with blanks up to a width."""
    return text + " " * (width - columns(text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
