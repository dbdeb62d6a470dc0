"""The only door for patterns that come from files: RE2, with Go's grammar (waza-graders.md, section 4.1).

RE2 takes linear time whatever the pattern. Python's `re` is never used for them: it reads other patterns and
reads the same patterns differently.
"""

from functools import lru_cache

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


class PatternError(ValueError):
    """A pattern that Go would refuse to compile; the text says why."""


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> "re2._Regexp[str] | PatternError":
    try:
        return re2.compile(pattern.encode("utf-8", "replace").decode(), options=_OPTIONS)
    except re2.error as error:
        reason = error.args[0]
        return PatternError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason))


def regex_error(pattern: str) -> str | None:
    """Why `pattern` is not valid, or None when it is."""
    compiled = _compiled(pattern)
    return str(compiled) if isinstance(compiled, PatternError) else None


def regex_found(pattern: str, text: str) -> bool | None:
    """Whether `pattern` is found anywhere in `text`; None when the pattern is not valid."""
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternError):
        return None
    return compiled.search(text.encode("utf-8", "replace").decode()) is not None
