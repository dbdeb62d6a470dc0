"""Resolve plain (unquoted) YAML scalars as waza does, with Go's yaml.v3 (docs/reference/waza-formats.md, section 3).

The source text is stored beside the value, because a string field uses it as written (`version: 1.0`,
`contains: [1e3]`).
"""

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

TRUE_WORDS = frozenset(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
FALSE_WORDS = frozenset(["n", "N", "no", "No", "NO", "off", "Off", "OFF"])
"""YAML 1.1 booleans: a boolean field accepts them, everywhere else they are strings."""

_WORDS: dict[str, Any] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"], None),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    **dict.fromkeys([".nan", ".NaN", ".NAN"], float("nan")),
    **dict.fromkeys([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], float("inf")),
    **dict.fromkeys(["-.inf", "-.Inf", "-.INF"], float("-inf")),
}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGERS = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
_MOST_DIGITS = 80
"""More than any 64-bit number has, with its sign and prefix."""
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]| )(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(Z|[-+]\d\d:\d\d)?"
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A plain scalar that is not a string. `value` is None, a bool, an int, a float or a datetime."""

    source: str
    value: Any


class SourceInt(int):
    """An integer whose source differs from Python's notation: `001`, `0x1F`, `1_000`."""

    source: str


class SourceFloat(float):
    """A float whose source differs from Python's notation: `1.10`, `.5`, `1e3`."""

    source: str


def with_source(value: Any, source: str) -> Any:
    """Return a plain scalar's value for checks. Numbers remember their source, which a string field would use.

    They compare and print like plain numbers; `source_text` returns the source.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or str(value) == source:
        return value
    number = SourceInt(value) if isinstance(value, int) else SourceFloat(value)
    number.source = source
    return number


def source_text(value: float) -> str:
    """Return a number as it is written in the file."""
    return value.source if isinstance(value, (SourceInt, SourceFloat)) else str(value)


def resolve(source: str) -> Any:
    """Return the value of a plain scalar: None, bool, int, float, datetime, or the source itself."""
    if source in _WORDS:
        return _WORDS[source]
    if source[0] not in "+-.0123456789":
        return source
    if (number := _number(source)) is not None:
        return number
    time = _timestamp(source)
    return source if time is None else time


def _number(source: str) -> int | float | None:
    digits = source.replace("_", "")
    for shape, base in _INTEGERS:
        if shape.fullmatch(digits):
            value = int(digits.lower().replace("0o", "0"), base) if len(digits) <= _MOST_DIGITS else math.inf
            if -(2**63) <= value < 2**64:
                return value
            break
    # In Go, numbers that exceed a double are strings, and so are hexadecimal, octal and binary ones of more than 64 bits.
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    return None if math.isinf(value) else value


def _timestamp(source: str) -> datetime | None:
    try:
        if _DATE.fullmatch(source):
            year, month, day = (int(it) for it in source.split("-"))
            return datetime.combine(date(year, month, day), datetime.min.time(), UTC)
        if found := _TIME.fullmatch(source):
            *parts, fraction, zone = found.groups()
            if zone is None and source[10:11] in "Tt":
                return None
            time = datetime(*(int(it) for it in parts), tzinfo=UTC)  # type: ignore[arg-type,misc]  # six ints
            micro = int(float(fraction or 0) * 1_000_000)
            offset = (
                datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo
                if zone not in {None, "Z"}
                else UTC
            )
            return time.replace(microsecond=micro, tzinfo=offset)
    except ValueError:
        return None
    return None


def _rfc3339(time: datetime) -> str:
    """Return a timestamp as Go writes it: no trailing zeros in the fraction, `Z` for a zero offset."""
    text, fraction, zone = time.replace(tzinfo=None).isoformat(), "", time.isoformat()[-6:]
    if time.microsecond:
        text, _, fraction = text.partition(".")
        fraction = "." + fraction.rstrip("0")
    return text + fraction + ("Z" if zone == "+00:00" else zone)


def plain(data: Any) -> Any:
    """Return data as JSON has it: each scalar becomes its value, a timestamp becomes RFC 3339 text."""
    match data:
        case Scalar(value=datetime() as time):
            return _rfc3339(time)
        case Scalar(value=value):
            return value
        case dict():
            return {str(key): plain(value) for key, value in data.items()}
        case list():
            return [plain(it) for it in data]
        case _:
            return data


def plain_with_source(data: Any) -> Any:
    """Return plain data for checks: numbers remember their source (`with_source`), timestamps become their source."""
    match data:
        case Scalar(source=source, value=datetime()):
            return source
        case Scalar(source=source, value=value):
            return with_source(value, source)
        case dict():
            return {str(key): plain_with_source(value) for key, value in data.items()}
        case list():
            return [plain_with_source(it) for it in data]
        case _:
            return data
