"""Split code inside scalars into tokens: regular expressions, Python and JavaScript."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class TokenClass(StrEnum):
    """The class of a token, with the names of LSP."""

    KEYWORD = "keyword"
    FUNCTION = "function"
    VARIABLE = "variable"
    PROPERTY = "property"
    STRING = "string"
    NUMBER = "number"
    OPERATOR = "operator"
    REGEXP = "regexp"


class Token(NamedTuple):
    """A token of one line, from `start` up to, not including, `end`."""

    start: int
    end: int
    kind: TokenClass


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
    """Yield the tokens of one line of code in one of `LANGUAGES`."""
    if language in _PATTERNS:
        for found in _REGEX.finditer(text):
            yield Token(*found.span(), TokenClass(str(found.lastgroup)))
        return
    words = _PYTHON_WORDS if language == "python" else _JAVASCRIPT_WORDS
    for found in _CODE.finditer(text):
        kind = str(found.lastgroup)
        yield Token(*found.span(), _class_of_name(found, text, words) if kind == "name" else TokenClass(kind))


def _class_of_name(found: re.Match[str], text: str, words: frozenset[str]) -> TokenClass:
    start, end = found.span()
    is_member = text[:start].rstrip().endswith(".")
    if found.group() in words and not is_member:
        return TokenClass.KEYWORD
    if text[end:].lstrip().startswith("("):
        return TokenClass.FUNCTION
    return TokenClass.PROPERTY if is_member else TokenClass.VARIABLE
