"""The keywords of JSON Schema that look at one value and need no other schema."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from waza_engine.json_text import json_equal, number_key
from waza_engine.regex import regex_found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda it: it is None,
    "boolean": lambda it: isinstance(it, bool),
    "string": lambda it: isinstance(it, str),
    "array": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
    "number": _is_number,
    # 1.0 is an integer in every draft, as waza's validator has it.
    "integer": lambda it: _is_number(it) and (isinstance(it, int) or it.is_integer()),
}


def _type(wanted: str | Sequence[str], value: Any) -> str | None:
    names = [wanted] if isinstance(wanted, str) else wanted
    return None if any(_TYPES[it](value) for it in names) else f"is not of type {' or '.join(names)}"


def _enum(allowed: Sequence[Any], value: Any) -> str | None:
    return None if any(json_equal(it, value) for it in allowed) else "is none of the values of 'enum'"


def _const(wanted: Any, value: Any) -> str | None:
    return None if json_equal(wanted, value) else "is not the value of 'const'"


def _multiple_of(divisor: float, value: Any) -> str | None:
    if not _is_number(value):
        return None
    number, step = _exact(value), _exact(divisor)
    if number is None or step is None or (number / step).denominator != 1:
        return f"is no multiple of {divisor}"
    return None


def _exact(number: float) -> Fraction | None:
    """The number by its decimal digits as written, None when it is not finite.

    19.99 is a multiple of 0.01, though not as doubles.
    """
    if isinstance(number, int):
        return Fraction(number)
    return Fraction(str(number)) if math.isfinite(number) else None


def _maximum(limit: float, value: Any) -> str | None:
    return f"is not at most {limit}" if _is_number(value) and value > limit else None


def _minimum(limit: float, value: Any) -> str | None:
    return f"is not at least {limit}" if _is_number(value) and value < limit else None


def _exclusive_maximum(limit: float, value: Any) -> str | None:
    return f"is not below {limit}" if _is_number(value) and value >= limit else None


def _exclusive_minimum(limit: float, value: Any) -> str | None:
    return f"is not above {limit}" if _is_number(value) and value <= limit else None


def _pattern(pattern: str, value: Any) -> str | None:
    missed = isinstance(value, str) and not regex_found(pattern, value)
    return f"does not match '{pattern}'" if missed else None


def _length(kind: type[str | list[Any] | dict[str, Any]], unit: str, *, most: bool) -> "_Check":
    def check(limit: int, value: Any) -> str | None:
        if not isinstance(value, kind):
            return None
        size = len(value)
        if size <= limit if most else size >= limit:
            return None
        return f"has {size} {unit}, {'at most' if most else 'at least'} {limit} wanted"

    return check


def _unique_items(wanted: bool, value: Any) -> str | None:
    if not wanted or not isinstance(value, list):
        return None
    return None if len({_key(it) for it in value}) == len(value) else "has equal items"


def _key(value: Any) -> Any:
    """Something hashable that is equal for values that `json_equal` calls equal, and only for those."""
    match value:
        case bool():
            return ("flag", value)
        case int() | float():
            return ("number", number_key(value))
        case list():
            return ("list", tuple(_key(it) for it in value))
        case dict():
            return ("object", frozenset((name, _key(it)) for name, it in value.items()))
        case _:
            return (type(value).__name__, value)


def _required(names: Sequence[str], value: Any) -> str | None:
    missing = [it for it in names if it not in value] if isinstance(value, dict) else []
    return f"lacks {', '.join(missing)}" if missing else None


def _dependent_required(needs: Mapping[str, Any], value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    for name, needed in needs.items():
        # In `dependencies` a value may be a schema, which is no assertion.
        missing = [it for it in needed if it not in value] if isinstance(needed, list) else []
        if name in value and missing:
            return f"lacks {', '.join(missing)}, which '{name}' needs"
    return None


def draft4_bound_error(schema: Mapping[str, Any], value: Any) -> str | None:
    """What draft-04 says with `exclusiveMaximum: true` beside `maximum`, and the same for the minimum."""
    above = schema.get("exclusiveMaximum") is True and "maximum" in schema
    below = schema.get("exclusiveMinimum") is True and "minimum" in schema
    return (_exclusive_maximum(schema["maximum"], value) if above else None) or (
        _exclusive_minimum(schema["minimum"], value) if below else None
    )


_Check = Callable[[Any, Any], str | None]

ASSERTIONS: Mapping[str, _Check] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "multipleOf": _multiple_of,
    "maximum": _maximum,
    "minimum": _minimum,
    "exclusiveMaximum": _exclusive_maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "pattern": _pattern,
    "maxLength": _length(str, "characters", most=True),
    "minLength": _length(str, "characters", most=False),
    "maxItems": _length(list, "items", most=True),
    "minItems": _length(list, "items", most=False),
    "maxProperties": _length(dict, "properties", most=True),
    "minProperties": _length(dict, "properties", most=False),
    "uniqueItems": _unique_items,
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependencies": _dependent_required,
}
