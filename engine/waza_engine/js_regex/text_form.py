r"""Texts in the form in which RE2 and `regex` can match them by code units.

A character beyond U+FFFF becomes two: its surrogates, moved to the end of plane 16 where no text has anything left
once it is split. So `.` matches half of an emoji, as in JavaScript, and RE2, which knows no surrogates, can read it.

RE2's `(?m:^)` and `(?m:$)` know the line end `\n` only, JavaScript's also `\r`, U+2028 and U+2029. In the *lined* form
each of the four is three characters: `\n`, a mark that says which, `\n`.
"""

import re

SURROGATES = 0xD800, 0xDFFF
MOVED = 0x10F800
"""Where the surrogates are: U+D800 is U+10F800."""
LINE_MARKS = {0x0A: 0x10F000, 0x0D: 0x10F001, 0x2028: 0x10F002, 0x2029: 0x10F003}

_SPLIT = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_MOVED_PAIR = re.compile("([\U0010f800-\U0010fbff])([\U0010fc00-\U0010ffff])")
_STRANGE_LINE_END = re.compile("[\r\u2028\u2029]")
_LINE_END = re.compile("[\n\r\u2028\u2029]")
_LINED_END = re.compile("\n([\U0010f000-\U0010f003])\n")


def has_strange_line_end(text: str) -> bool:
    r"""Whether there are line ends other than `\n`."""
    return _STRANGE_LINE_END.search(text) is not None


def in_units(text: str) -> str:
    """The text with one character for each code unit."""
    return text if text.isascii() else _SPLIT.sub(_halves, text)


def lined(units: str) -> str:
    """A text of units with each line end as three characters."""
    return _LINE_END.sub(lambda it: f"\n{chr(LINE_MARKS[ord(it[0])])}\n", units)


def given_length(prefix: str) -> int:
    """How many characters of the given text such a prefix stands for; half a character counts as none."""
    units = _LINED_END.sub("\n", prefix)
    pairs = len(_MOVED_PAIR.findall(units))
    ends_in_half = bool(units) and 0x10F800 <= ord(units[-1]) <= 0x10FBFF
    return len(units) - pairs - ends_in_half


def _halves(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= SURROGATES[1]:
        return chr(code - SURROGATES[0] + MOVED)
    high, low = divmod(code - 0x10000, 0x400)
    return chr(MOVED + high) + chr(MOVED + 0x400 + low)
