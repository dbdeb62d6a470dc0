"""Recognise patterns that were probably meant otherwise, and suggest patterns that RE2 can read."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from waza_engine.lib.go.regexp import regex_error
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Fix, SetValue

_PIECES = re.compile(
    r"""
    \[(?:\\.|[^\]\\])*\]
    |\\\\(?P<letter>[bBdDsSwW](?![\w\\])|\*|\.(?=[\[(\\]|$|(?:json|ya?ml|md|txt|[cm]?[jt]sx?|py|sh|cs|go|rs|toml|xml)\b))
    |\\.
    |.
    """,
    re.DOTALL | re.VERBOSE,
)
"""A set, an escaped backslash before a character that is usually escaped itself (unlike in paths), or any escape."""
_IN_SLASHES = re.compile(r"/(?P<inner>[^/\s](?:\\.|[^/\\])*)/(?P<flags>[dmsuvy]*[gi][dgimsuvy]*)")
_FLAGS = re.compile(r"\(\?[imsU-]+[:)]|\(\?[:=!]")
_CLASS = re.compile(r"(?<!\\)\\[dDsSwW](?![\w\\])")
_ANYTHING = re.compile(r"[\w)\]]\.[*+]\??[\w(\[\\]")
_ALTERNATIVES = re.compile(r"\((?:\?:)?[A-Za-z]{3,}(?:\|[A-Za-z ]{3,})+\)|[A-Za-z]{3,}(?:\|[A-Za-z]{3,})+$")


class DoubledBackslash(NamedTuple):
    """An escape with one backslash too many: its letter, its span, and the pattern with single backslashes."""

    letter: str
    span: tuple[int, int]
    corrected: str


def doubled_backslash(pattern: str) -> DoubledBackslash | None:
    """Return a class, word edge, dot or star escaped as for double quotes, where YAML needs one backslash only."""
    match = next((it for it in _PIECES.finditer(pattern) if it["letter"]), None)
    if match is None:
        return None
    return DoubledBackslash(match["letter"], match.span(), pattern.replace("\\\\", "\\"))


def without_slashes(pattern: str) -> str | None:
    """Return the pattern of a JavaScript literal `/.../flags` as plain text; None if it is not a literal."""
    match = _IN_SLASHES.fullmatch(pattern)
    if match is None:
        return None
    flags = "".join(sorted(set(match["flags"]) & set("ims")))
    return f"(?{flags}){match['inner']}" if flags else str(match["inner"])


def looks_like_pattern(text: str) -> bool:
    """Whether a text that is searched for literally was clearly meant as a regular expression."""
    return bool(
        _FLAGS.match(text) or _CLASS.search(text) or _ANYTHING.search(text) or _ALTERNATIVES.fullmatch(text)
    )


_RE2_EQUIVALENTS = (("\\Z", "\\z"), ("\\h", "[ \\t]"), ("\\R", "\\r?\\n"), ("(?>", "(?:"), ("(?P>", "(?P<"))
_POSSESSIVE = re.compile(r"(?<!\\)([*+?}])\+")
_NOTHING_TO_REPEAT = re.compile(r"(^|\||\()([*+?])")
_MOST_FIXES = 2


def regex_fixes(pattern: str, pointer: Pointer) -> list[Fix]:
    """Return at most two corrections of the pattern that RE2 can read."""
    valid = [it for it in dict.fromkeys(_candidates(pattern)) if it != pattern and regex_error(it) is None]
    return [Fix(f"Change to {it}", (SetValue(pointer, it),)) for it in valid[:_MOST_FIXES]]


def _candidates(pattern: str) -> Iterator[str]:
    yield pattern + ")"
    yield pattern + "]"
    if pattern.endswith(")"):
        yield pattern[:-1]
    text = pattern
    for foreign, equivalent in _RE2_EQUIVALENTS:
        text = text.replace(foreign, equivalent)
    yield text
    yield _POSSESSIVE.sub(r"\1", pattern)
    yield _NOTHING_TO_REPEAT.sub(r"\1\\\2", pattern)
    if pattern.endswith("\\"):
        yield pattern + "\\"
