"""Texts and numbers as they are written in templates, and texts as Go quotes them."""

import math
import re

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))")
_OCTAL = re.compile(r"([+-]?)0([0-7_]+)")
_FRACTION = re.compile(r"[.eE]")
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_WRITTEN = {value: f"\\{key}" for key, value in _SIMPLE.items()} | {'"': '\\"'}
_LAST_CHARACTER = 0x10FFFF
MOST_CHARACTERS = 1_000_000
"""Of a prompt, and of a text on the way to one. Widths of `printf` make much of little."""


class TemplateError(ValueError):
    """The template cannot be rendered; the text says what and why."""


def text_of_literal(source: str) -> str | int:
    """What a text in quotes means; a character in single quotes is its number."""
    quote, inner = source[0], source[1:-1]
    if quote == "`":
        return inner.replace("\r", "")
    known = {**_SIMPLE, quote: quote}

    def meant(found: re.Match[str]) -> str:
        *numbers, octal, simple = found.groups()
        if simple is not None:
            if simple not in known:
                raise TemplateError(f"{source} is no valid text")
            return known[simple]
        code = int(octal, 8) if octal else int(next(it for it in numbers if it), 16)
        if code > _LAST_CHARACTER or 0xD800 <= code <= 0xDFFF:
            raise TemplateError(f"{source} is no valid text")
        return chr(code)

    text = _ESCAPE.sub(meant, inner)
    if quote != "'":
        return text
    if len(text) != 1:
        raise TemplateError(f"{source} is no single character")
    return ord(text)


def number_of(source: str) -> float:
    """A number as Go writes it: a whole one of 64 bits, or one with a fraction."""
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
        raise TemplateError(f"'{source}' is no number")
    return value


def quoted(text: str) -> str:
    """A text in double quotes, as `%q` prints it."""
    return f'"{"".join(_WRITTEN.get(it) or _printable(it) for it in text)}"'


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
