"""Where a key is in a TOML text. The standard library reads TOML without positions."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_MOST_LINES = 2_000
"""Longer texts are read again and again for each statement, so their keys are at the beginning."""


class TomlSpan(NamedTuple):
    """Characters of a line; both count from 0."""

    line: int
    start: int
    end: int


_START = TomlSpan(0, 0, 0)
_ERROR = re.compile(r"\(at line (\d+), column (\d+)\)$")


def error_span(text: str, error: str) -> TomlSpan:
    """Return the place in a message of the TOML reader; the last line if it is the end of the text."""
    lines = text.splitlines() or [""]
    found = _ERROR.search(error)
    if found is None:
        last = len(lines) - 1
        return TomlSpan(last, 0, len(lines[last])) if "end of document" in error else _START
    line = min(int(found[1]), len(lines)) - 1
    column = min(int(found[2]) - 1, len(lines[line]))
    rest = re.match(r"[\w-]+", lines[line][column:])
    return TomlSpan(line, column, column + len(rest[0])) if rest else TomlSpan(line, 0, len(lines[line]))


def key_span(text: str, keys: Sequence[str]) -> TomlSpan:
    """Return the place of the last of `keys` that a valid text has, each below the one before."""
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        return _START
    for depth in range(len(keys), 0, -1):
        for first, last, data in _statements(lines):
            if _has(data, keys[:depth]):
                return _word(lines, first, last, keys[depth - 1])
    return _START


def _statements(lines: Sequence[str]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """Yield the first and last line of each statement, and what the text says up to there."""
    first = 0
    for last in range(len(lines)):
        try:
            data = tomllib.loads("\n".join(lines[: last + 1]))
        except (tomllib.TOMLDecodeError, RecursionError):
            continue  # A value goes on in the next line.
        yield first, last, data
        first = last + 1


def _has(data: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(data, Mapping) or key not in data:
            return False
        data = data[key]
    return True


def _word(lines: Sequence[str], first: int, last: int, key: str) -> TomlSpan:
    pattern = re.compile(rf"""(?<![\w-])(["']?){re.escape(key)}\1(?=\s*[=.\]])""")
    for line in range(first, last + 1):
        if found := pattern.search(lines[line]):
            return TomlSpan(line, *found.span())
    return TomlSpan(first, 0, len(lines[first]))
