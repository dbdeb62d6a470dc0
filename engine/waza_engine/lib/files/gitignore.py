"""Patterns in the syntax of `.gitignore`. Invalid lines are ignored, as git does.

A module of its own because `pathspec` is needed only when a workspace is searched.
"""

import re
from collections.abc import Sequence

import re2
from pathspec import GitIgnoreSpec

# `pathspec` raises ValueError itself; the other errors come from translating the pattern.
_INVALID = (ValueError, re.error, re2.error)
_MAX_LINE = 1_000
_MAX_LINES = 5_000
"""Compiling takes 0.1 ms for each line, and 8 s for 200 kB of brackets in one."""


def ignore_spec(lines: Sequence[str]) -> GitIgnoreSpec:
    """Return the combined patterns of the lines, without the invalid ones and those over the limits."""
    lines = [it for it in lines[:_MAX_LINES] if len(it) <= _MAX_LINE]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except _INVALID:
        valid = [it for it in lines if is_ignore_pattern(it)]
    while True:
        try:
            return GitIgnoreSpec.from_lines(valid)
        except re2.error:  # Together they take too much memory.
            valid = valid[: len(valid) // 2]


def is_ignore_pattern(line: str) -> bool:
    """Whether the line is valid. Invalid are a reversed range (`[z-a]`), a lone `!` and a final backslash."""
    try:
        GitIgnoreSpec.from_lines([line])
    except _INVALID:
        return False
    return True
