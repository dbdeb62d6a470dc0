"""Field types for models of files: pydantic annotations that decode values as Go does.

A string field keeps the source text, an integer field truncates fractions, a boolean field accepts `yes` and `off`, an
empty value is the zero value, and null items of lists are dropped (docs/reference/waza-formats.md, section 3;
docs/reference/waza-graders.md, sections 2.1 and 13). Values are `Scalar` (YAML) or plain Python values (JSON).
"""

import math
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS, Scalar, plain


def as_text(value: Any) -> Any:
    """Return the string that Go stores in a string field. Lists and mappings stay, and pydantic refuses them."""
    match value:
        case None | Scalar(value=None):
            return ""
        case Scalar(source=source):
            return source
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case _:
            return value


def as_integer(value: Any) -> Any:
    """Return the integer that Go stores in an int field: fractions are truncated, a quoted number is refused."""
    match value:
        case None | Scalar(value=None):
            return 0
        case Scalar(value=bool()) | bool():
            raise ValueError("expected a whole number, not a boolean")
        case Scalar(value=(int() | float()) as number) | (int() | float() as number):
            return _truncate(number)
        case str():
            raise ValueError("expected a whole number, not a string; remove the quotes")
        case _:
            raise ValueError("expected a whole number")


def _truncate(number: float) -> int:
    if not math.isfinite(number) or number >= 2**63:
        raise ValueError("expected a whole number of at most 64 bits")
    return max(int(number), -(2**63))


def as_number(value: Any) -> Any:
    """Return the double that Go stores in a float field."""
    match value:
        case None | Scalar(value=None):
            return 0.0
        case Scalar(value=bool()) | bool():
            raise ValueError("expected a number, not a boolean")
        case Scalar(value=(int() | float()) as number) | (int() | float() as number):
            return float(number)
        case str():
            raise ValueError("expected a number, not a string; remove the quotes")
        case _:
            raise ValueError("expected a number")


def as_flag(value: Any) -> Any:
    """Return the boolean that Go stores in a bool field: `yes`, `on`, `no`, `off` count, `"true"` does not."""
    match value:
        case None | Scalar(value=None):
            return False
        case Scalar(value=bool() as flag) | (bool() as flag):
            return flag
        case str() if value in TRUE_WORDS:
            return True
        case str() if value in FALSE_WORDS:
            return False
        case _:
            raise ValueError("expected true or false")


def as_switch(value: Any) -> Any:
    """Return the boolean of an option that is on by default: an empty value leaves it on."""
    return True if is_null(value) else as_flag(value)


def as_list(value: Any) -> Any:
    """Return a list without its null items; an empty value is the empty list."""
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise ValueError("expected a list")  # noqa: TRY004  # pydantic handles ValueError only
    return [it for it in value if not is_null(it)]


def as_mapping(value: Any) -> Any:
    """Return a mapping; an empty value is the empty mapping."""
    return {} if is_null(value) else value


def is_null(value: Any) -> bool:
    """Whether the value is empty, `null` or `~`."""
    return value is None or (isinstance(value, Scalar) and value.value is None)


class _Absent:
    """Marks a field in which an empty value or `null` means the same as a missing key."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        # Nobody writes null on purpose, so the schema and completion offer the other type only.
        schema = handler(core_schema)
        others = [it for it in schema.pop("anyOf", []) if it != {"type": "null"}]
        return {**schema, **(others[0] if len(others) == 1 else {"anyOf": others} if others else {})}


def _none_when_null(value: Any) -> Any:
    return None if is_null(value) else value


_Item = TypeVar("_Item")

Text = Annotated[str, BeforeValidator(as_text)]
"""A string as it is written: `1.10` and `yes` too."""


class _Truncated:
    """Marks integers whose fractions are cut off, so that a fraction is a warning instead of an error."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(core_schema), "x-truncates": True}


Integer = Annotated[int, BeforeValidator(as_integer), _Truncated()]
"""An integer; fractions are truncated."""

Number = Annotated[float, BeforeValidator(as_number)]
"""A number of double precision."""

Flag = Annotated[bool, BeforeValidator(as_flag)]
"""True or false, as YAML 1.1 and JSON write them."""

Switch = Annotated[bool, BeforeValidator(as_switch)]
"""A boolean option that is true by default."""

ListOf = Annotated[list[_Item], BeforeValidator(as_list)]
"""A list without its null items; an empty value is the empty list."""

Strings = Annotated[list[Text], BeforeValidator(as_list)]
"""A list of strings."""

TextMap = Annotated[dict[str, Text], BeforeValidator(as_mapping)]
AnyValue = Annotated[Any, BeforeValidator(plain)]
"""Any value (inline schemas, matchers), as plain JSON data."""

IfGiven = Annotated[_Item | None, BeforeValidator(_none_when_null), _Absent()]
"""An optional value: None if the key is missing or its value is null."""
