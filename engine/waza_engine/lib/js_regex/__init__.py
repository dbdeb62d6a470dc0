r"""The door for patterns of vally files: JavaScript's regular expressions (docs/reference/vally.md, section 7.1).

RE2 decides what it can say, in linear time whatever the pattern: all but look-around and back-references, which go to
the package `regex` with a time limit. Python's `re` is never used for them. Matching is by UTF-16 code units without
the flags `g` and `u`, so the answers are those of `new RegExp(pattern, flags).test(text)`.
"""

from functools import lru_cache

from waza_engine.lib.js_regex.matching import Matcher, TooSlowError, compiled
from waza_engine.lib.js_regex.parser import parsed
from waza_engine.lib.js_regex.syntax import JsNote, JsPatternError

__all__ = ["JsNote", "JsPatternError", "TooSlowError", "js_error", "js_found", "js_notes", "js_place"]


def js_error(pattern: str) -> JsPatternError | None:
    """What JavaScript would say against the pattern, and where; None when it is valid."""
    known = _matcher(pattern)
    return known if isinstance(known, JsPatternError) else None


def js_notes(pattern: str) -> tuple[JsNote, ...]:
    """What in a valid pattern does not mean what it looks like, or not in every version of JavaScript."""
    known = _matcher(pattern)
    return () if isinstance(known, JsPatternError) else known.notes


def js_found(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; None when it is not valid.

    Raises:
        TooSlowError: no answer within the time limit.

    """
    known = _matcher(pattern)
    return None if isinstance(known, JsPatternError) else known.place(text) is not None


def js_place(pattern: str, text: str) -> tuple[int, int] | None:
    """Start and end of the first match; None when there is none, or the pattern is not valid.

    Raises:
        TooSlowError: no answer within the time limit.

    """
    known = _matcher(pattern)
    return None if isinstance(known, JsPatternError) else known.place(text)


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Matcher | JsPatternError:
    try:
        return compiled(parsed(pattern))
    except JsPatternError as error:
        return error
