"""Read and write JSON as Go's `encoding/json` does, and find a JSON value in other text.

See docs/reference/waza-graders.md, sections 4.4 and 6, and section 5.5 for `extract_json`.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, NoReturn

from waza_engine.lib.go.text import trim, without_surrogates

_EXACT_DIGITS = 15
_MOST_LEVELS = 10_000
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|[][{}]')
"""A bracket, or a string, whose brackets do not count."""
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape in a string. The group matches a lone surrogate, which Go replaces."""


class JsonError(ValueError):
    """The text is not JSON, or exceeds a limit of Go's reader; the message gives the reason.

    `stop` is where the reader stopped: a position, or the text there. It is empty if the nesting is too deep for
    Go's reader (10,000 levels) or for Python's (about 1,000 on Python 3.11).
    """

    def __init__(self, message: str, stop: int | str = "") -> None:
        super().__init__(message)
        self.stop = stop


def read_json(text: str) -> Any:
    """Return the value of a strict JSON text: no NaN, no number beyond a double, no trailing text.

    Raises:
        JsonError: the text is not strict JSON, or is nested too deeply.

    """
    text = _replace_surrogates(text)
    value = _decode(_DECODER.decode, text)
    _require_shallow(text, 0, len(text))
    return value


def _read_json_at(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins exactly at `start`, and its end. `text` has no lone surrogates.

    Raises:
        JsonError: no value begins there, or it is nested too deeply.

    """
    value, end = _decode(_DECODER.raw_decode, text, start)
    _require_shallow(text, start, end)
    return value, end


def _decode(decode: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return decode(*arguments)
    except RecursionError as error:
        raise JsonError("it is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise JsonError(str(error), error.pos) from error


def _require_shallow(text: str, start: int, end: int) -> None:
    """Refuse what Go refuses in the JSON from `start` to `end`: Python 3.14 reads five times as deep."""
    if text.count("[", start, end) + text.count("{", start, end) <= _MOST_LEVELS:
        return
    levels = 0
    for part in _BRACKET.finditer(text, start, end):
        levels += _STEPS.get(part[0], 0)
        if levels > _MOST_LEVELS:
            raise JsonError("it is nested too deeply")


def _replace_surrogates(text: str) -> str:
    """Return JSON of the same length with all lone surrogates replaced, which no Go string can hold."""
    text = without_surrogates(text)
    if "\\u" not in text:
        return text
    return _ESCAPE.sub(lambda found: "\\ufffd" if found[1] else found[0], text)


def _number(text: str) -> float | int:
    """Return a double, as in Go. Integers become `int`, so that they print without a fraction."""
    if len(text) <= _EXACT_DIGITS and text.lstrip("-").isdigit():
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise JsonError(f"the number {text[:40]} is too large", text)
    return int(value) if text.lstrip("-").isdigit() else value


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not valid JSON", name)


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_number, parse_int=_number)


def json_equal(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: 5 equals 5.0, 1 does not equal true."""
    match left, right:
        case (bool(), _) | (_, bool()):
            return left is right
        case (int() | float(), int() | float()):
            return _number_key(left) == _number_key(right)
        case list(), list():
            return len(left) == len(right) and all(json_equal(a, b) for a, b in zip(left, right, strict=True))
        case dict(), dict():
            return left.keys() == right.keys() and all(json_equal(it, right[key]) for key, it in left.items())
        case _:
            return type(left) is type(right) and bool(left == right)


def _number_key(value: float) -> float:
    """Return the value that equal JSON numbers share: the double, or the integer if no double can hold it."""
    try:
        return float(value)
    except OverflowError:
        return value


_GO_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_json(value: Any) -> str:
    """Return compact JSON as `json.Marshal` writes it: keys sorted, `<`, `>` and `&` escaped."""
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return _go_number(float(value))
        case str():
            return json.dumps(without_surrogates(value), ensure_ascii=False).translate(_GO_ESCAPES)
        case list():
            return f"[{','.join(go_json(it) for it in value)}]"
        case dict():
            members = (f"{go_json(key)}:{go_json(value[key])}" for key in sorted(value))
            return f"{{{','.join(members)}}}"
        case _:
            raise TypeError(f"{type(value).__name__} is not a JSON type")


def _go_number(value: float) -> str:
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e21:
        shortest = format(Decimal(repr(value)), "f")
        return shortest.removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"


_FENCE = "```"
_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]|[^][{},:"\s]+', re.DOTALL)


def extract_json(text: str) -> Any:
    """Return the value of the text, else of its only JSON code block, else the only JSON value in the text.

    Raises:
        JsonError: there is no such value, or more than one.

    """
    try:
        return read_json(text)
    except JsonError:
        values = list(_in_fences(text)) or list(_anywhere(text))
    if len(values) != 1:
        raise JsonError(f"expected one JSON value in the output, found {len(values) or 'none'}")
    return values[0]


def _in_fences(text: str) -> Iterator[Any]:
    at = text.find(_FENCE)
    while at >= 0:
        line_end = text.find("\n", at)
        closing = text.find(_FENCE, line_end) if line_end >= 0 else -1
        if closing < 0:
            return
        if trim(text[at + len(_FENCE) : line_end]).lower() in {"", "json"}:
            with suppress(JsonError):
                yield read_json(text[line_end + 1 : closing])
        at = text.find(_FENCE, closing + len(_FENCE))


def _anywhere(text: str) -> Iterator[Any]:
    text = _replace_surrogates(text)
    at = 0
    no_starts: set[int] = set()
    while at < len(text):
        end = at + 1
        if text[at] in "{[" and at not in no_starts:
            try:
                value, end = _read_json_at(text, at)
                yield value
            except JsonError as error:
                open_brackets, end = _brackets(text, at, error.stop)
                # A value that begins at one of these fails at the same place. Without this, hostile texts take hours.
                no_starts.update(open_brackets)
        at = end


def _brackets(text: str, start: int, stop: int | str) -> tuple[list[int], int]:
    """Return the brackets from `start` on that are open at `stop`, and where the search continues.

    It continues after the bracket that closes the one at `start`, if there is one.
    """
    open_brackets: list[int] = []
    for part in _PART.finditer(text, start):
        if part.start() >= stop if isinstance(stop, int) else stop and part[0].startswith(stop):
            break
        if part[0] in "[{":
            open_brackets.append(part.start())
        elif part[0] in "]}":
            open_brackets.pop()
            if not open_brackets:
                return [], part.end()
    return open_brackets, start + 1
