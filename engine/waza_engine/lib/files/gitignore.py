"""Patterns as in a `.gitignore`. As for git, a line that is no pattern names nothing."""

import re
from collections.abc import Sequence

import re2
from pathspec import GitIgnoreSpec

# What the library raises: its own error is a ValueError, the others come from the pattern's translation.
_NO_PATTERN = (ValueError, re.error, re2.error)


def ignore_spec(lines: Sequence[str]) -> GitIgnoreSpec:
    """What the lines name together; those that are no patterns are passed over."""
    try:
        return GitIgnoreSpec.from_lines(lines)
    except _NO_PATTERN:
        return GitIgnoreSpec.from_lines([it for it in lines if is_ignore_pattern(it)])


def is_ignore_pattern(line: str) -> bool:
    """False for a range that ends before it begins (`[z-a]`), a lone `!`, a backslash at the end."""
    try:
        GitIgnoreSpec.from_lines([line])
    except _NO_PATTERN:
        return False
    return True
