"""Field types of vally's grader configs: YAML 1.2 as a JavaScript program reads it, without any conversion.

A number is no text, a text is no number, and only `true` and `false` are flags: vally's check of a config refuses the
rest (vally.md, section 12, `invalid-grader-config`).
"""

import math
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from waza_engine.scalars import Scalar
from waza_engine.validation.value_keywords import BEYOND_INTEGERS
from waza_engine.values import is_null

WRITTEN_WRONG = "written_wrong"
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
            raise PydanticCustomError(WRITTEN_WRONG, "expected a string; put it in quotes")
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
        raise PydanticCustomError(WRITTEN_WRONG, "expected true or false")
    return _value(value)


def _list(value: Any) -> Any:
    if not isinstance(value, list):
        raise ValueError("expected a list")  # noqa: TRY004  # pydantic wants ValueError
    return value


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError("expected a mapping")  # noqa: TRY004  # pydantic wants ValueError
    return value


def given_list(value: Any) -> Any:
    """A list; an empty value is the empty list."""
    return [] if is_null(value) else _list(value)


def _text_map(value: Any) -> Any:
    return {} if is_null(value) else _mapping(value)


Text = Annotated[str, BeforeValidator(_text)]
Integer = Annotated[int, BeforeValidator(_integer)]
Number = Annotated[float, BeforeValidator(_number)]
Flag = Annotated[bool, BeforeValidator(_flag)]
Texts = Annotated[list[Text], BeforeValidator(given_list)]
TextMap = Annotated[dict[str, Text], BeforeValidator(_text_map)]
