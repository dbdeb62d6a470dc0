"""Splits templates in prompts into texts and the tokens of actions; reads and quotes Go's literals."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))")
_OCTAL = re.compile(r"([+-]?)0([0-7_]+)")
_FRACTION = re.compile(r"[.eE]")
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_QUOTED_FORMS = {value: f"\\{key}" for key, value in _SIMPLE.items()} | {'"': '\\"'}
_LAST_CHARACTER = 0x10FFFF
MOST_CHARACTERS = 1_000_000
"""Limit of a prompt and of intermediate strings: widths of `printf` turn short templates into long texts."""


class TemplateError(ValueError):
    """The template cannot be rendered; the message says why."""


def text_of_literal(source: str) -> str | int:
    """Return the string of a quoted literal; a character in single quotes is its number."""
    quote, inner = source[0], source[1:-1]
    if quote == "`":
        return inner.replace("\r", "")
    known = {**_SIMPLE, quote: quote}

    def character_of(found: re.Match[str]) -> str:
        *numbers, octal, simple = found.groups()
        if simple is not None:
            if simple not in known:
                raise TemplateError(f"{source} is not a valid string")
            return known[simple]
        code = int(octal, 8) if octal else int(next(it for it in numbers if it), 16)
        if code > _LAST_CHARACTER or 0xD800 <= code <= 0xDFFF:
            raise TemplateError(f"{source} is not a valid string")
        return chr(code)

    text = _ESCAPE.sub(character_of, inner)
    if quote != "'":
        return text
    if len(text) != 1:
        raise TemplateError(f"{source} is not a single character")
    return ord(text)


def number_of(source: str) -> float:
    """Return the number of a Go literal: an integer of 64 bits, or a floating-point number."""
    try:
        octal = _OCTAL.fullmatch(source)
        whole = int(f"{octal[1]}0o{octal[2]}", 8) if octal else int(source, 0)
    except ValueError:
        return _fraction(source)
    if not -(2**63) <= whole < 2**63:
        raise TemplateError(f"'{source}' does not fit into 64 bits")
    return whole


def _fraction(source: str) -> float:
    try:
        value = float(source) if _FRACTION.search(source) else math.inf
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise TemplateError(f"'{source}' is not a number")
    return value


def quote(text: str) -> str:
    """Return a string in double quotes, as `%q` prints it."""
    return f'"{"".join(_QUOTED_FORMS.get(it) or _printable(it) for it in text)}"'


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_BLANKS = " \t\r\n"
_OPENING = re.compile(r"\{\{(-(?=[ \t\r\n]))?[ \t\r\n]*")
_CLOSING = re.compile(r"[ \t\r\n]*(?:(?<=[ \t\r\n])(-))?\}\}")
_COMMENT_OPENING = re.compile(r"\{\{(?:-[ \t\r\n])?")
_COMMENT_CLOSING = re.compile(r"\*/(?:[ \t\r\n](-))?\}\}")
_MAY_FOLLOW = frozenset(["", *_BLANKS, *"()|}"])
"""Characters that may follow a word, string or number directly."""
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+')
      | (?P<number>[+-]?(?:0[xX][\w.]*|(?:[0-9][\w.]*|\.[0-9]\w*)(?:(?<=[eE])[+-]\w+)?))
      | (?P<names>\$?(?:\.[^\W\d]\w*)+)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>[()|])
    )""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A token of an action: its kind (`text`, `number`, `names`, `word` or `sign`) and its source."""

    kind: str
    source: str


def pieces(template: str) -> Iterator[str | list[Token]]:
    """Yield texts, and the tokens of the actions between them. A comment is an action without tokens."""
    position, trim = 0, False
    while found := _OPENING.search(template, position):
        yield _between(template[position : found.start()], trim_start=trim, trim_end=bool(found[1]))
        tokens: list[Token] = []
        if template.startswith("/*", found.end()):
            position, trim = _skip_comment(template, found)
        else:
            tokens, position, trim = _tokens(template, found.end())
        yield tokens
    yield _between(template[position:], trim_start=trim, trim_end=False)


def _skip_comment(template: str, opening: re.Match[str]) -> tuple[int, bool]:
    """Return the end of a comment's action, and whether it trims the text after it."""
    end = template.find("*/", opening.end() + 2)
    closing = _COMMENT_CLOSING.match(template, end) if end >= 0 else None
    if closing is None or not _COMMENT_OPENING.fullmatch(opening[0]):
        raise TemplateError("write a comment as {{/* text */}}, with nothing else between the braces")
    return closing.end(), bool(closing[1])


def _between(text: str, *, trim_start: bool, trim_end: bool) -> str:
    """Return the text between two actions; `-` inside the braces trims it."""
    text = text.lstrip(_BLANKS) if trim_start else text
    return text.rstrip(_BLANKS) if trim_end else text


def _tokens(template: str, position: int) -> tuple[list[Token], int, bool]:
    """Return the tokens of an action, its end, and whether it trims the text after it."""
    start, tokens = position, list[Token]()
    while not (closing := _CLOSING.match(template, position)):
        found = _TOKEN.match(template, position)
        if found is None:
            _refuse(template, start)
        kind, position = str(found.lastgroup), found.end()
        if kind != "sign" and template[position : position + 1] not in _MAY_FOLLOW:
            _refuse(template, start)
        tokens.append(Token(kind, found[kind]))
    if not tokens:
        raise TemplateError("a '{{}}' is empty")
    return tokens, closing.end(), bool(closing.lastindex)


def _refuse(template: str, start: int) -> NoReturn:
    end = template.find("}}", start)
    if end < 0:
        raise TemplateError("a '{{' is not closed")
    refuse_action(template[start:end].strip())


def refuse_action(source: str) -> NoReturn:
    """Refuse the content of braces."""
    raise TemplateError(
        f"'{{{{{source}}}}}' is not supported. Write {{{{.Vars.name}}}} or {{{{index .Vars \"name\"}}}}"
    )
