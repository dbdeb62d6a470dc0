"""Regular expressions that are valid and hardly meant as they stand, and texts that look like regular expressions.

Valid patterns near one that RE2 cannot read: what was most likely meant.
"""

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
"""A set, an escaped backslash with what is mostly escaped itself (no path has such letters or dots), any escape."""
_IN_SLASHES = re.compile(r"/(?P<inner>[^/\s](?:\\.|[^/\\])*)/(?P<flags>[dmsuvy]*[gi][dgimsuvy]*)")
_FLAGS = re.compile(r"\(\?[imsU-]+[:)]|\(\?[:=!]")
_CLASS = re.compile(r"(?<!\\)\\[dDsSwW](?![\w\\])")
_ANYTHING = re.compile(r"[\w)\]]\.[*+]\??[\w(\[\\]")
_ALTERNATIVES = re.compile(r"\((?:\?:)?[A-Za-z]{3,}(?:\|[A-Za-z ]{3,})+\)|[A-Za-z]{3,}(?:\|[A-Za-z]{3,})+$")


class Doubled(NamedTuple):
    """A class or word edge with a backslash too many: its letter, where it stands, and the pattern without."""

    letter: str
    span: tuple[int, int]
    mended: str


def doubled_backslash(pattern: str) -> Doubled | None:
    """A class, word edge, dot or star escaped as in double quotes, where YAML needs one backslash only."""
    found = next((it for it in _PIECES.finditer(pattern) if it["letter"]), None)
    return Doubled(found["letter"], found.span(), pattern.replace("\\\\", "\\")) if found else None


def out_of_slashes(pattern: str) -> str | None:
    """The pattern as a YAML text when it is written as JavaScript code, between slashes and with flags behind."""
    found = _IN_SLASHES.fullmatch(pattern)
    if found is None:
        return None
    flags = "".join(sorted(set(found["flags"]) & set("ims")))
    return f"(?{flags}){found['inner']}" if flags else str(found["inner"])


def looks_like_pattern(text: str) -> bool:
    """Whether a text that is looked for as written was plainly meant as a regular expression."""
    return bool(
        _FLAGS.match(text) or _CLASS.search(text) or _ANYTHING.search(text) or _ALTERNATIVES.fullmatch(text)
    )


_OTHER_WORDS = (("\\Z", "\\z"), ("\\h", "[ \\t]"), ("\\R", "\\r?\\n"), ("(?>", "(?:"), ("(?P>", "(?P<"))
_POSSESSIVE = re.compile(r"(?<!\\)([*+?}])\+")
_NOTHING_TO_REPEAT = re.compile(r"(^|\||\()([*+?])")
_MOST = 2


def regex_fixes(pattern: str, pointer: Pointer) -> list[Fix]:
    """At most two ways to write the pattern that RE2 can read."""
    valid = [it for it in dict.fromkeys(_candidates(pattern)) if it != pattern and regex_error(it) is None]
    return [Fix(f"Change to {it}", (SetValue(pointer, it),)) for it in valid[:_MOST]]


def _candidates(pattern: str) -> Iterator[str]:
    yield pattern + ")"
    yield pattern + "]"
    if pattern.endswith(")"):
        yield pattern[:-1]
    text = pattern
    for foreign, ours in _OTHER_WORDS:
        text = text.replace(foreign, ours)
    yield text
    yield _POSSESSIVE.sub(r"\1", pattern)
    yield _NOTHING_TO_REPEAT.sub(r"\1\\\2", pattern)
    if pattern.endswith("\\"):
        yield pattern + "\\"
