"""Valid patterns near one that RE2 cannot read: what was most likely meant."""

import re
from collections.abc import Iterator

from waza_engine.findings import Fix, Pointer, SetValue
from waza_engine.regex import regex_error

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
