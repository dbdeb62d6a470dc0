"""JSON text read and written as Go's `encoding/json` does it (docs/reference/waza-graders.md, sections 4.4 and 6)."""

import json
import math
from decimal import Decimal
from typing import Any, NoReturn

from waza_engine.nested_json import NestedJsonError, read_nested
from waza_engine.text import without_surrogates

_MAX_DEPTH = 10_000
_EXACT_DIGITS = 15


class JsonError(ValueError):
    """A text that is no JSON, or more than Go's reader takes; the text says why."""


def read_json(text: str) -> Any:
    """The value of a strict JSON text: no NaN, no number beyond a double, no trailing text, 10,000 levels at most.

    Raises:
        JsonError: the text is not that.

    """
    try:
        return _loads(text)
    except RecursionError:
        pass
    try:
        value, end = read_nested_at(text, 0)
    except NestedJsonError as error:
        raise JsonError(str(error)) from error
    if text[end:].strip(" \t\n\r"):
        raise JsonError(f"more text behind character {end}")
    return value


def read_json_at(text: str, start: int) -> tuple[Any, int]:
    """The value that begins exactly at `start`, and where it ends.

    Raises:
        ValueError: no value begins there.
        RecursionError: it nests too deeply for Python's own reader.

    """
    value, end = _DECODER.raw_decode(text, start)
    return _clean(value), end


def read_nested_at(text: str, start: int) -> tuple[Any, int]:
    """The same, more slowly, for up to 10,000 levels.

    Raises:
        NestedJsonError: no value begins there.

    """
    return read_nested(text, start, _loads, _MAX_DEPTH)


def _loads(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
    except ValueError as error:
        raise JsonError(str(error)) from error
    return _clean(value) if "\\u" in text or not text.isascii() else value


def _number(text: str) -> float | int:
    """Every number is a double, as in Go; whole ones stay `int` so that they look like what they are."""
    if len(text) <= _EXACT_DIGITS and text.lstrip("-").isdigit():
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise JsonError(f"the number {text[:40]} is too large")
    return int(value) if text.lstrip("-").isdigit() else value


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant, parse_float=_number, parse_int=_number)


def _clean(value: Any) -> Any:
    """The value with lone surrogates replaced, as every Go string has it."""
    match value:
        case str():
            return without_surrogates(value)
        case list():
            return [_clean(it) for it in value]
        case dict():
            return {without_surrogates(key): _clean(it) for key, it in value.items()}
        case _:
            return value


def json_equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON: numbers as doubles (5 is 5.0), a boolean is no number."""
    match left, right:
        case (bool(), _) | (_, bool()):
            return left is right
        case (int() | float(), int() | float()):
            return number_key(left) == number_key(right)
        case list(), list():
            return len(left) == len(right) and all(json_equal(a, b) for a, b in zip(left, right, strict=True))
        case dict(), dict():
            return left.keys() == right.keys() and all(json_equal(it, right[key]) for key, it in left.items())
        case _:
            return type(left) is type(right) and bool(left == right)


def number_key(value: float) -> float:
    """What is equal for numbers that are the same JSON: the double; of a whole number beyond all doubles itself."""
    try:
        return float(value)
    except OverflowError:
        return value


_GO_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_json(value: Any) -> str:
    """Compact JSON as `json.Marshal` writes it: keys sorted, `<`, `>` and `&` escaped."""
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
            raise TypeError(f"{type(value).__name__} is no JSON value")


def _go_number(value: float) -> str:
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e21:
        shortest = format(Decimal(repr(value)), "f")
        return shortest.removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"
