"""Field types of vally files and grader configs.

`Text`, `Number`, `Flag` and the other types of grader configs do not convert values: vally rejects a number where it
expects a string, and only `true` and `false` are booleans (docs/reference/vally.md, section 12,
`invalid-grader-config`). `Duration` and `Count` are described in section 2.
"""

import math
import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from waza_engine.analysis.schema.value_keywords import BEYOND_INTEGERS
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.fields import as_integer, as_text, is_null
from waza_engine.model.placeholders import has_placeholder

__all__ = ["DURATION_PATTERN", "DURATION_TEXT", "Count", "Duration", "has_placeholder", "milliseconds"]

DURATION_PATTERN = r"^[0-9]+(ms|s|m|h)$"
_DURATION = re.compile(r"([0-9]+)(ms|s|m|h)")
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
DURATION_TEXT = "a duration is a whole number with a unit: 500ms, 30s, 5m, 1h"


def milliseconds(text: str) -> int | None:
    """Return a duration in milliseconds; None if it is not valid."""
    match = _DURATION.fullmatch(text)
    return int(match[1]) * _UNITS[match[2]] if match else None


def _duration(text: str) -> str:
    if milliseconds(text) is None:
        raise ValueError(f"expected a duration such as 30s; {DURATION_TEXT}")
    return text


Duration = Annotated[
    str,
    BeforeValidator(as_text),
    AfterValidator(_duration),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": DURATION_PATTERN,
            "x-pattern-text": DURATION_TEXT,
            "patternErrorMessage": DURATION_TEXT,
            "x-units": {"s": "seconds", "m": "minutes", "ms": "milliseconds", "h": "hours"},
        }
    ),
]
"""A duration as a string with a unit: `300s`. Bare numbers and compound forms (`2m40s`) are rejected."""


def _whole(value: Any) -> Any:
    number = value.value if isinstance(value, Scalar) else value
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("expected a whole number")
    return as_integer(value)


Count = Annotated[int, BeforeValidator(_whole), Field(ge=0)]
"""A non-negative whole number; unlike in Go, fractions are rejected."""

WRONG_SCALAR = "wrong_scalar"
"""Error type of scalars that the schema accepts, because readers other than vally convert them."""


def _value(value: Any) -> Any:
    return value.value if isinstance(value, Scalar) else value


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    match _value(value):
        case None:
            raise ValueError("is empty; write a string")
        case bool() | int() | float() | datetime():
            raise PydanticCustomError(WRONG_SCALAR, "expected a string; put it in quotes")
        case _:
            raise ValueError("expected a string")


def _integer(value: Any) -> Any:
    plain = _value(value)
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool) and math.isfinite(plain)
    if not is_number or plain != int(plain):
        raise ValueError("expected a whole number")
    if plain >= BEYOND_INTEGERS:
        raise ValueError("expected a whole number of at most 64 bits")
    return int(plain)


def _number(value: Any) -> Any:
    plain = _value(value)
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not math.isfinite(plain):
        raise ValueError("expected a number")
    return float(plain)


def _flag(value: Any) -> Any:
    if not isinstance(_value(value), bool):
        raise PydanticCustomError(WRONG_SCALAR, "expected true or false")
    return _value(value)


def _list(value: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError("expected a list")  # noqa: TRY004  # pydantic wants ValueError
    return value


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError("expected a mapping")  # noqa: TRY004  # pydantic wants ValueError
    return value


def as_list_or_empty(value: Any) -> Any:
    """Return a list; an empty value becomes the empty list."""
    return [] if is_null(value) else _list(value)


def _text_map(value: Any) -> Any:
    return {} if is_null(value) else _mapping(value)


def _form(value: Any) -> str:
    return "list" if isinstance(value, list) else "text"


Text = Annotated[str, BeforeValidator(_text)]
Integer = Annotated[int, BeforeValidator(_integer)]
Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Texts = Annotated[list[Text], BeforeValidator(as_list_or_empty)]
_FilledText = Annotated[Text, Field(min_length=1)]
OneOrMoreTexts = Annotated[
    Annotated[_FilledText, Tag("text")] | Annotated[list[_FilledText], Field(min_length=1), Tag("list")],
    Discriminator(_form),
    WithJsonSchema(
        {
            "type": ["string", "array"],
            "minLength": 1,
            "minItems": 1,
            "items": {"type": "string", "minLength": 1},
        }
    ),
]
"""A non-empty string, or a non-empty list of such strings."""


def texts_in(value: str | list[str] | None) -> list[tuple[Pointer, str]]:
    """Return the strings of a `OneOrMoreTexts` with their pointers."""
    if value is None or isinstance(value, str):
        return [((), value)] if value else []
    return [((index,), it) for index, it in enumerate(value)]


TextMap = Annotated[dict[str, Text], BeforeValidator(_text_map)]
