"""Lexical classes of the small languages that stand in scalars: regular expressions, Python and JavaScript."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Class(StrEnum):
    """What a piece of code is, in the words of LSP."""

    KEYWORD = "keyword"
    FUNCTION = "function"
    VARIABLE = "variable"
    PROPERTY = "property"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    REGEXP = "regexp"


class Token(NamedTuple):
    """A stretch of one line."""

    start: int
    end: int
    kind: Class


_PATTERNS = frozenset(["regex", "regex-js"])
LANGUAGES = _PATTERNS | {"python", "javascript"}
_PYTHON_WORDS = frozenset(
    ["and", "as", "else", "for", "if", "in", "is", "lambda", "not", "or", "True", "False", "None"]
)
_JAVASCRIPT_WORDS = frozenset(
    [
        "const",
        "else",
        "false",
        "for",
        "function",
        "if",
        "in",
        "instanceof",
        "let",
        "new",
        "null",
        "of",
        "return",
        "this",
        "true",
        "typeof",
        "undefined",
        "var",
        "void",
    ]
)
_CODE = re.compile(
    r"""(?P<string>[rbfuRBFU]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|`(?:[^`\\]|\\.)*`)
      |(?P<number>(?<![\w.])\d[\w.]*)
      |(?P<name>[^\W\d][\w$]*)
      |(?P<operator>:=|=>|\*\*|[<>=!]=?=?|&&?|\|\|?|[-+*/%^~?])""",
    re.VERBOSE,
)
_REGEX = re.compile(
    r"""(?P<regexp>\\[pPxo]\{[^}]*\}|\\[pP]\w|\\x[0-9a-fA-F]{2}|\\Q.*?(?:\\E|$)|\\.
        |\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\.)
      |(?P<keyword>\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*[:)]|[=!]|<[=!]))?|\))
      |(?P<operator>[*+?]\??|\{\d+(?:,\d*)?\}\??|[|^$])""",
    re.VERBOSE,
)


def tokens(language: str, text: str) -> Iterator[Token]:
    """The tokens of one line that is written in one of `LANGUAGES`."""
    if language in _PATTERNS:
        for found in _REGEX.finditer(text):
            yield Token(*found.span(), Class(str(found.lastgroup)))
        return
    words = _PYTHON_WORDS if language == "python" else _JAVASCRIPT_WORDS
    for found in _CODE.finditer(text):
        kind = str(found.lastgroup)
        yield Token(*found.span(), _name(found, text, words) if kind == "name" else Class(kind))


def _name(found: re.Match[str], text: str, words: frozenset[str]) -> Class:
    start, end = found.span()
    is_member = text[:start].rstrip().endswith(".")
    if found.group() in words and not is_member:
        return Class.KEYWORD
    if text[end:].lstrip().startswith("("):
        return Class.FUNCTION
    return Class.PROPERTY if is_member else Class.VARIABLE
