"""What a plain (unquoted) YAML scalar means to waza.

waza reads YAML with Go's yaml.v3; the rules here are its resolution (docs/reference/waza-formats.md, section
3). The source text is kept beside the value, because a text field takes it as written (`version: 1.0`,
`contains: [1e3]`).
"""

import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

TRUE_WORDS = frozenset(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"])
FALSE_WORDS = frozenset(["n", "N", "no", "No", "NO", "off", "Off", "OFF"])
"""Words of YAML 1.1 that a boolean field takes although they are texts everywhere else."""

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
"""More than any number of 64 bits has, with its sign and prefix."""
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]| )(\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d+)?(Z|[-+]\d\d:\d\d)?"
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A plain scalar that is no text: its source text and the value Go gives it.

    `value` is None, a bool, an int, a float or a datetime.
    """

    source: str
    value: Any


class WrittenInt(int):
    """A whole number that is written in another way than Python would: `001`, `0x1F`, `1_000`."""

    source: str


class WrittenFloat(float):
    """The same with a fraction: `1.10`, `.5`, `1e3`."""

    source: str


def with_source(value: Any, source: str) -> Any:
    """The value of a plain scalar for checks: a text field takes it as it is written, and so says what it is.

    It counts and prints as the plain number does; `written` tells the difference.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or str(value) == source:
        return value
    number = WrittenInt(value) if isinstance(value, int) else WrittenFloat(value)
    number.source = source
    return number


def written(value: float) -> str:
    """A number as it stands in the file."""
    return value.source if isinstance(value, (WrittenInt, WrittenFloat)) else str(value)


def resolve(source: str) -> Any:
    """The value of a plain scalar: None, bool, int, float, datetime, or the text itself."""
    if source in _WORDS:
        return _WORDS[source]
    if source[0] not in "+-.0123456789":
        return source
    if (number := _number(source)) is not None:
        return number
    moment = _moment(source)
    return source if moment is None else moment


def _number(source: str) -> int | float | None:
    digits = source.replace("_", "")
    for shape, base in _INTEGERS:
        if shape.fullmatch(digits):
            value = int(digits.lower().replace("0o", "0"), base) if len(digits) <= _MOST_DIGITS else math.inf
            if -(2**63) <= value < 2**64:
                return value
            break
    # What no double can hold is text in Go; so is a hexadecimal, octal or binary number of more than 64 bits.
    value = float(digits) if _FLOAT.fullmatch(digits) else math.inf
    return None if math.isinf(value) else value


def _moment(source: str) -> datetime | None:
    try:
        if _DATE.fullmatch(source):
            year, month, day = (int(it) for it in source.split("-"))
            return datetime.combine(date(year, month, day), datetime.min.time(), UTC)
        if found := _TIME.fullmatch(source):
            *parts, fraction, zone = found.groups()
            if zone is None and source[10:11] in "Tt":
                return None
            moment = datetime(*(int(it) for it in parts), tzinfo=UTC)  # type: ignore[arg-type,misc]  # six ints
            micro = int(float(fraction or 0) * 1_000_000)
            offset = (
                datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo
                if zone not in {None, "Z"}
                else UTC
            )
            return moment.replace(microsecond=micro, tzinfo=offset)
    except ValueError:
        return None
    return None


def _rfc3339(moment: datetime) -> str:
    """The moment as Go writes it: no zeros at the end of the fraction, `Z` for a zero offset."""
    text, fraction, zone = moment.replace(tzinfo=None).isoformat(), "", moment.isoformat()[-6:]
    if moment.microsecond:
        text, _, fraction = text.partition(".")
        fraction = "." + fraction.rstrip("0")
    return text + fraction + ("Z" if zone == "+00:00" else zone)


def plain(data: Any) -> Any:
    """Data as JSON has it: scalars become their values, moments become RFC 3339 text."""
    match data:
        case Scalar(value=datetime() as moment):
            return _rfc3339(moment)
        case Scalar(value=value):
            return value
        case dict():
            return {str(key): plain(value) for key, value in data.items()}
        case list():
            return [plain(it) for it in data]
        case _:
            return data


def plain_as_written(data: Any) -> Any:
    """The same for checks: what a text field would take is known, of numbers (`with_source`) and of moments."""
    match data:
        case Scalar(source=source, value=datetime()):
            return source
        case Scalar(source=source, value=value):
            return with_source(value, source)
        case dict():
            return {str(key): plain_as_written(value) for key, value in data.items()}
        case list():
            return [plain_as_written(it) for it in data]
        case _:
            return data
