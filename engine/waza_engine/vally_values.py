"""Field types that only vally files have (docs/reference/vally.md, section 2)."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from waza_engine.placeholders import has_placeholder
from waza_engine.scalars import Scalar
from waza_engine.values import as_integer, as_text

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
