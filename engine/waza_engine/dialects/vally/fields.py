"""Field types of vally's grader configs: YAML 1.2 as a JavaScript program reads it, without any conversion.

A number is no text, a text is no number, and only `true` and `false` are flags: vally's check of a config refuses the
rest (docs/reference/vally.md, section 12, `invalid-grader-config`).

Field types that only vally files have (docs/reference/vally.md, section 2).
"""

import math
import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from waza_engine.analysis.schema.value_keywords import BEYOND_INTEGERS
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.fields import as_integer, as_text, is_null
from waza_engine.model.placeholders import has_placeholder

__all__ = ["DURATION_PATTERN", "DURATION_TEXT", "Count", "Duration", "has_placeholder", "milliseconds"]

DURATION_PATTERN = r"^[0-9]+(ms|s|m|h)$"
_DURATION = re.compile(r"([0-9]+)(ms|s|m|h)")
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
DURATION_TEXT = "a duration is a whole number with a unit: 500ms, 30s, 5m, 1h"


def milliseconds(text: str) -> int | None:
    """The milliseconds that a duration stands for; None when it is none."""
    found = _DURATION.fullmatch(text)
    return int(found[1]) * _UNITS[found[2]] if found else None


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
"""A length of time as text, with a unit: `300s`. A bare number and compound forms (`2m40s`) are refused."""


def _whole(value: Any) -> Any:
    number = value.value if isinstance(value, Scalar) else value
    if isinstance(number, float) and not number.is_integer():
        raise ValueError("expected a whole number")
    return as_integer(value)


Count = Annotated[int, BeforeValidator(_whole), Field(ge=0)]
"""A whole number from 0; unlike Go's, a fraction is refused."""

WRONG_SCALAR = "wrong_scalar"
"""The type of problem that a schema does not see: YAML's words for a text or a flag, which only other readers convert."""


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
    """A list; an empty value is the empty list."""
    return [] if is_null(value) else _list(value)


def _text_map(value: Any) -> Any:
    return {} if is_null(value) else _mapping(value)


Text = Annotated[str, BeforeValidator(_text)]
Integer = Annotated[int, BeforeValidator(_integer)]
Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Texts = Annotated[list[Text], BeforeValidator(as_list_or_empty)]
TextMap = Annotated[dict[str, Text], BeforeValidator(_text_map)]
