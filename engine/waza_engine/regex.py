"""The only door for patterns that come from files: RE2, with Go's grammar.

See docs/reference/waza-graders.md, section 4.1.

RE2 takes linear time whatever the pattern. Python's `re` is never used for them: it reads other patterns and
reads the same patterns differently.
"""

from functools import lru_cache

import re2

from waza_engine.regex_grammar import PatternError, as_re2
from waza_engine.text import without_surrogates

__all__ = [
    "TEXTS_WITHOUT_ANYTHING_IN_COMMON",
    "PatternError",
    "any_case_error",
    "is_found_anywhere",
    "is_found_in_any_word",
    "literal",
    "regex_error",
    "regex_fault",
    "regex_found",
    "regex_place",
]

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
# The default of 8 MB refuses patterns that Go compiles, such as `\p{L}{1000}`.
_OPTIONS.max_mem = 64 << 20

_META = frozenset(r"\.+*?()|[]{}^$")

_GO_WORDS = {
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "trailing \\": "trailing backslash at end of expression",
}
"""RE2's words for an error, and Go's, which waza's users know."""


def regex_error(pattern: str) -> str | None:
    """Why `pattern` is not valid, in Go's words, or None when it is."""
    compiled = _compiled(pattern)
    return str(compiled) if isinstance(compiled, PatternError) else None


def any_case_error(pattern: str) -> str | None:
    """Why a pattern is not valid that waza puts `(?i)` in front of, told of what the author wrote."""
    reason = regex_error(f"(?i){pattern}")
    return (regex_error(pattern) or reason) if reason else None


def regex_fault(pattern: str) -> tuple[int, int] | None:
    """Where in an invalid pattern the offending part stands; None when that is not told, or is all of it."""
    compiled = _compiled(pattern)
    reason = str(compiled) if isinstance(compiled, PatternError) else ""
    fragment = reason.partition(": `")[2].removesuffix("`")
    at = pattern.find(fragment) if fragment else -1
    return (at, at + len(fragment)) if at >= 0 else None


def literal(text: str) -> str:
    """A pattern that finds just this text."""
    return "".join(f"\\{it}" if it in _META else it for it in text)


def regex_found(pattern: str, text: str) -> bool | None:
    """Whether `pattern` is found anywhere in `text`; None when the pattern is not valid."""
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternError):
        return None
    return compiled.search(without_surrogates(text)) is not None


def regex_place(pattern: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first place where `pattern` is found; None when it is not, or is not valid."""
    compiled = _compiled(pattern)
    if isinstance(compiled, PatternError):
        return None
    found = compiled.search(without_surrogates(text))
    return (found.start(), found.end()) if found is not None else None


TEXTS_WITHOUT_ANYTHING_IN_COMMON = ("", "a", "\n", "0 \u00e9!\nB")
"""What is found in all of these says nothing of a text."""


def is_found_anywhere(pattern: str) -> bool:
    """Whether a valid pattern is found in texts that have nothing in common, so that it says nothing (`.*`, `a?`)."""
    return all(regex_found(pattern, it) for it in TEXTS_WITHOUT_ANYTHING_IN_COMMON)


def is_found_in_any_word(pattern: str) -> bool:
    """Whether a valid pattern is found in every letter and digit (such as one for a word): only an empty output lacks it."""
    return all(regex_found(pattern, it) for it in ("a", "Z", "7"))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> "re2._Regexp[str] | PatternError":
    try:
        return re2.compile(as_re2(without_surrogates(pattern)), options=_OPTIONS)
    except PatternError as error:
        return error
    except re2.error as error:
        reason = error.args[0]
        return PatternError(
            _go_words(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason))
        )


def _go_words(reason: str) -> str:
    what, separator, fragment = reason.partition(": ")
    return f"{_GO_WORDS.get(what, what)}{f': `{fragment}`' if separator else ''}"
