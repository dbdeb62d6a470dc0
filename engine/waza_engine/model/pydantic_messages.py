"""Describe pydantic's validation problems in our own words: those of pydantic are for Python programmers."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails, core_schema

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.type_words import with_article
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.fields import is_null

UNKNOWN_KEY = "unknown key"
"""The text for a key that the model does not have."""
_MAX_VALUE = 40
_OF_PYDANTIC = frozenset(get_args(core_schema.ErrorType))
"""The problem types of pydantic. All others are ours, and have our own text."""
_EXPECTED: Mapping[str, str] = {
    **dict.fromkeys(("string_type", "string_unicode", "string_sub_type"), with_article("string")),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"), with_article("object")
    ),
    **dict.fromkeys(("dataclass_type", "is_instance_of"), with_article("object")),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "iterable_type"), with_article("array")),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), with_article("integer")),
    "int_parsing_size": "a whole number of at most 64 bits",
    **dict.fromkeys(("float_type", "float_parsing"), with_article("number")),
    "finite_number": "a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), with_article("boolean")),
    "none_required": with_article("null"),
    "json_invalid": "JSON",
}
_TEMPLATES: Mapping[str, str] = {
    "extra_forbidden": UNKNOWN_KEY,
    "missing": "is required",
    "greater_than_equal": "must be {ge} or more, not {value}",
    "greater_than": "must be more than {gt}, not {value}",
    "less_than_equal": "must be {le} or less, not {value}",
    "less_than": "must be less than {lt}, not {value}",
    "literal_error": "must be {expected}, not {value}",
    "enum": "must be {expected}, not {value}",
    "too_short": "must have {min_length} items",
    "too_long": "must have {max_length} items",
    "string_too_short": "must have {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
}


def problem_text(problem: ErrorDetails) -> str:
    """Return what is wrong with a value, to follow its name: `must be a string, not a list`.

    The messages of our own field types (`expected a list`) stay as they are.
    """
    kind, value, context = problem["type"], problem["input"], problem.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind not in _OF_PYDANTIC:
        return problem["msg"]
    if kind in _EXPECTED:
        return f"must be {_EXPECTED[kind]}, not {value_kind(value)}"
    if kind in _TEMPLATES:
        if context.get("min_length") == 1:
            return "must not be empty"
        return _TEMPLATES[kind].format(**context, value=value_text(value))
    return f"cannot be {value_text(value)}"


def problem_pointer(problem: ErrorDetails, data: Any, *, drops_nulls: bool = True) -> Pointer:
    """Return where in the data the problem is.

    pydantic's own location also names members of unions, and counts list items without the dropped nulls.
    """
    pointer: list[str | int] = []
    last = len(problem["loc"]) - 1
    for depth, key in enumerate(problem["loc"]):
        is_missing = problem["type"] == "missing" and depth == last
        if isinstance(data, Mapping) and (key in data or is_missing):
            pointer.append(key)
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            index = index_as_written(key, data) if drops_nulls else key
            pointer.append(index)
            data = data[index]
    return tuple(pointer)


def index_as_written(index: int, items: Sequence[Any]) -> int:
    """Return the index in the file for an index among the items that are not null."""
    indexes = (at for at, it in enumerate(items) if not is_null(it))
    return next(islice(indexes, index, None), index)


def first_problem_text(error: ValidationError, top: str = "") -> str:
    """Return the first problem with its place: `tools.0.name: must be a string, not 5`.

    `top` is the name of the whole data.
    """
    problem = error.errors(include_url=False)[0]
    place = ".".join(map(str, problem["loc"])) or top
    return f"{place}: {problem_text(problem)}" if place else problem_text(problem)


def error_text(error: Exception) -> str:
    """Return the message of any error that reading data can raise."""
    return first_problem_text(error) if isinstance(error, ValidationError) else str(error)


def value_text(value: Any) -> str:
    """Return a value for a message, as it is written in a file, truncated if it is long."""
    match value:
        case Scalar():
            text = value.source or value_kind(value)
        case bool():
            text = str(value).lower()
        case None | dict() | list():
            text = value_kind(value)
        case _:
            text = repr(value)
    return text if len(text) <= _MAX_VALUE else text[: _MAX_VALUE - 3] + "..."


def value_kind(value: Any) -> str:
    """Return a value for a message, but only the type of a list or a mapping."""
    match plain(value):
        case dict():
            return with_article("object")
        case list():
            return with_article("array")
        case None:
            return with_article("null")
        case _:
            return value_text(value)
