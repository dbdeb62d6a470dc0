r"""Patterns between the two engines: waza's are RE2, vally's are JavaScript's with flags only at the start.

What both read in the same way stays as it is written. `.`, `\s` and `\b` differ only at rare characters (a carriage
return, line separators, blanks beyond ASCII); that is let pass.
"""

import re

from waza_engine.convert.conversion import CannotSayError
from waza_engine.js_regex import js_error, js_notes
from waza_engine.js_regex.parser import parsed
from waza_engine.js_regex.syntax import JsPatternError
from waza_engine.js_regex.writers import BeyondRe2, as_re2
from waza_engine.regex import regex_error

_FLAGS = re.compile(r"\(\?([imsU]+)\)")
_POSIX = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "0-9A-Za-z",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "punct": r"!-\/:-@\[-`{-~",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_TOKEN = re.compile(
    r"\\A|\\z|\\Q.*?(?:\\E|$)|\\x\{([0-9a-fA-F]{1,4})\}|\(\?P<|\[:(\w+):\]|\\.|\(\?[imsU-]+:|\(\?[imsU-]+\)|.",
    re.DOTALL,
)


def in_javascript(pattern: str) -> str | None:
    """The RE2 pattern for JavaScript; None when it cannot be said there."""
    flags = _FLAGS.match(pattern)
    if flags and ("U" in flags[1] or len(set(flags[1])) < len(flags[1])):
        return None
    head, rest = (pattern[: flags.end()], pattern[flags.end() :]) if flags else ("", pattern)
    made = head
    for token in _TOKEN.finditer(rest):
        word = _javascript_word(token, has_lines="m" in head)
        if word is None:
            return None
        made += word
    return made if js_error(made) is None and not js_notes(made) else None


def _javascript_word(token: re.Match[str], *, has_lines: bool) -> str | None:
    text = token[0]
    if text in {r"\A", r"\z"}:
        return None if has_lines else "^" if text == r"\A" else "$"
    if text.startswith(r"\Q"):
        return re.sub(r"([\\^$.*+?()[\]{}|/])", r"\\\1", text.removeprefix(r"\Q").removesuffix(r"\E"))
    if token[1]:
        return f"\\u{int(token[1], 16):04x}"
    if text == "(?P<":
        return "(?<"
    if token[2]:
        return _POSIX.get(token[2])
    if text.startswith((r"\p", r"\P", r"\C", r"\a")) or (text.startswith("(?") and text != "(?:"):
        return None
    return text


def in_re2(pattern: str) -> str | None:
    """The JavaScript pattern for RE2; None when it cannot be said there (look-around, back-references)."""
    if js_error(pattern) is not None:
        return None
    if (
        regex_error(pattern) is None
        and not js_notes(pattern)
        and r"\u" not in pattern
        and "[^]" not in pattern
    ):
        return pattern
    try:
        read = parsed(pattern)
    except JsPatternError:
        return None
    try:
        made = as_re2(read.node)
    except BeyondRe2:
        return None
    return made if regex_error(made) is None else None


def said_in_re2(pattern: str) -> str:
    """The JavaScript pattern for RE2.

    Raises:
        CannotSayError: it cannot be said there.

    """
    made = in_re2(pattern)
    if made is None:
        raise CannotSayError(f"the pattern {pattern} cannot be said in RE2")
    return made
