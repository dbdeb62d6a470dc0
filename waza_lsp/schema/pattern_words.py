r"""What can be written in a regular expression: classes, anchors and groups of RE2, and of JavaScript.

`\pN` and other rare forms are left out: a list to choose from should be short.
"""

import re
from typing import NamedTuple


class PatternWord(NamedTuple):
    """A piece of a pattern, and what it does."""

    text: str
    meaning: str


_BOTH = [
    PatternWord(r"\d", "a digit, 0-9"),
    PatternWord(r"\D", "anything but a digit"),
    PatternWord(r"\w", "a letter, a digit or _ (of ASCII)"),
    PatternWord(r"\W", "anything but a letter, a digit or _"),
    PatternWord(r"\s", "white space"),
    PatternWord(r"\S", "anything but white space"),
    PatternWord(r"\b", "the edge of a word"),
    PatternWord(r"\B", "not the edge of a word"),
    PatternWord(r"\n", "a line feed"),
    PatternWord(r"\t", "a tab"),
    PatternWord("(?:", "a group that captures nothing"),
]
_RE2 = [
    *_BOTH,
    PatternWord(r"\A", "the start of the text"),
    PatternWord(r"\z", "the end of the text"),
    PatternWord(r"\pL", "a letter of any script"),
    PatternWord(r"\pN", "a number of any script"),
    PatternWord(r"\p{Greek}", "a letter of one script"),
    PatternWord(r"\Q", "what follows is plain text, up to \\E"),
    PatternWord(r"\E", "the end of plain text"),
    PatternWord("(?i)", "upper and lower case are the same from here on"),
    PatternWord("(?m)", "^ and $ are the edges of lines from here on"),
    PatternWord("(?s)", ". also takes line ends from here on"),
    PatternWord("(?U)", "repetitions take as little as they can from here on"),
    PatternWord("(?P<name>", "a group with a name"),
    PatternWord("[[:alpha:]]", "a letter of ASCII"),
    PatternWord("[[:digit:]]", "a digit"),
    PatternWord("[[:alnum:]]", "a letter or a digit of ASCII"),
    PatternWord("[[:upper:]]", "an upper-case letter of ASCII"),
    PatternWord("[[:lower:]]", "a lower-case letter of ASCII"),
    PatternWord("[[:space:]]", "white space"),
    PatternWord("[[:punct:]]", "a punctuation mark of ASCII"),
    PatternWord("[[:xdigit:]]", "a hexadecimal digit"),
    PatternWord("[[:word:]]", "the same as \\w"),
]
_JAVASCRIPT = [
    *_BOTH,
    PatternWord("(?=", "what follows must match"),
    PatternWord("(?!", "what follows must not match"),
    PatternWord("(?<=", "what stands before must match"),
    PatternWord("(?<!", "what stands before must not match"),
    PatternWord("(?<name>", "a group with a name"),
]
PATTERN_WORDS = {"regex": _RE2, "regex-js": _JAVASCRIPT}
"""By the name of the language, as schemas have it (`x-language`)."""

_BEGUN = re.compile(r"(?P<escape>\\+)[a-zA-Z]?(?:\{\w*)?$|\(\??[\w<=!]*$|\[\[?:?\^?\w*$")
_POSIX = re.compile(r"\[\[?:?\w*$")


def begun_at(language: str, typed: str) -> int:
    """Where in a pattern, typed so far, the piece begins that is being written; its end when none is."""
    found = _BEGUN.search(typed)
    if found is None or (typed[found.start()] == "[" and language != "regex"):
        return len(typed)
    if found["escape"] is not None:
        # Of several backslashes each second one stands for itself.
        count = len(found["escape"])
        return found.end("escape") - 1 if count % 2 else len(typed)
    return found.start()
