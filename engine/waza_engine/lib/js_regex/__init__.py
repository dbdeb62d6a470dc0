"""JavaScript's regular expressions, for all patterns of vally files (docs/reference/vally.md, section 7.1).

RE2 matches in linear time whatever the pattern. Only patterns with look-around or back-references go to the package
`regex`, with a time limit. Python's `re` is never used. Matching is by UTF-16 code units without the flags `g` and `u`,
so the results are those of `new RegExp(pattern, flags).test(text)`.
"""

from functools import lru_cache

from waza_engine.lib.js_regex.matching import Matcher, TooSlowError, build_matcher
from waza_engine.lib.js_regex.parser import parse_pattern
from waza_engine.lib.js_regex.syntax import JsNote, JsPatternError

__all__ = [
    "JsNote",
    "JsPatternError",
    "TooSlowError",
    "js_capture",
    "js_error",
    "js_matches",
    "js_notes",
    "js_span",
]


def js_error(pattern: str) -> JsPatternError | None:
    """Return JavaScript's error for the pattern and its position; None if the pattern is valid."""
    matcher = _matcher(pattern)
    return matcher if isinstance(matcher, JsPatternError) else None


def js_notes(pattern: str) -> tuple[JsNote, ...]:
    """Return the parts of a valid pattern that are misleading, or that some JavaScript versions refuse."""
    matcher = _matcher(pattern)
    return () if isinstance(matcher, JsPatternError) else matcher.notes


def js_matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern matches anywhere in the text; None if the pattern is invalid.

    Raises:
        TooSlowError: the search exceeds the time limit.

    """
    matcher = _matcher(pattern)
    return None if isinstance(matcher, JsPatternError) else matcher.span(text) is not None


def js_span(pattern: str, text: str) -> tuple[int, int] | None:
    """Return start and end of the first match; None if there is none or the pattern is invalid.

    Raises:
        TooSlowError: the search exceeds the time limit.

    """
    matcher = _matcher(pattern)
    return None if isinstance(matcher, JsPatternError) else matcher.span(text)


def js_capture(pattern: str, text: str) -> str | None:
    """Return the first group of the first match, or the whole match if the group has none; None without a match.

    Raises:
        TooSlowError: the search exceeds the time limit.

    """
    matcher = _matcher(pattern)
    place = None if isinstance(matcher, JsPatternError) else matcher.capture(text)
    return None if place is None else text[slice(*place)]


@lru_cache(maxsize=64)
def _matcher(pattern: str) -> Matcher | JsPatternError:
    try:
        return build_matcher(parse_pattern(pattern))
    except JsPatternError as error:
        return error
