"""What of some data does not fit a model, in our own words: those of pydantic are about Python, and for nobody else."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails, core_schema

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import Scalar, plain
from waza_engine.model.fields import is_null
from waza_engine.model.type_words import with_article

STRANGE = "unknown key"
"""What is said of a key that the model does not have."""
_SHOWN = 40
_OF_PYDANTIC = frozenset(get_args(core_schema.ErrorType))
"""The kinds of problems that pydantic has words for. All others are ours, and so are their words."""
_WANTED: Mapping[str, str] = {
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


_SAID: Mapping[str, str] = {
    "extra_forbidden": STRANGE,
    "missing": "is required",
    "greater_than_equal": "must be {ge} or more, not {shown}",
    "greater_than": "must be more than {gt}, not {shown}",
    "less_than_equal": "must be {le} or less, not {shown}",
    "less_than": "must be less than {lt}, not {shown}",
    "literal_error": "must be {expected}, not {shown}",
    "enum": "must be {expected}, not {shown}",
    "too_short": "must have {min_length} items",
    "too_long": "must have {max_length} items",
    "string_too_short": "must have {min_length} characters",
    "string_too_long": "must have {max_length} characters at most",
}


def words(problem: ErrorDetails) -> str:
    """What is wrong with one value, to be put behind its name: `must be a string, not a list`.

    What our own checks of values say (`expected a list`) is taken as it is.
    """
    kind, value, context = problem["type"], problem["input"], problem.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind not in _OF_PYDANTIC:
        return problem["msg"]
    if kind in _WANTED:
        return f"must be {_WANTED[kind]}, not {kind_of(value)}"
    if kind in _SAID:
        is_empty = context.get("min_length") == 1
        return "must not be empty" if is_empty else _SAID[kind].format(**context, shown=shown(value))
    return f"cannot be {shown(value)}"


def place(problem: ErrorDetails, data: Any, *, drops_nulls: bool = True) -> Pointer:
    """Where in the data it is: pydantic also names the members of unions on the way, and counts what is left of lists."""
    found: list[str | int] = []
    *_, last = (None, *enumerate(problem["loc"]))
    for it in enumerate(problem["loc"]):
        key = it[1]
        if isinstance(data, Mapping) and (key in data or (problem["type"] == "missing" and it == last)):
            found.append(key)
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            at = index_as_written(key, data) if drops_nulls else key
            found.append(at)
            data = data[at]
    return tuple(found)


def index_as_written(index: int, items: Sequence[Any]) -> int:
    """Which item of a list as it stands in its file is the one with this index among those that are not null."""
    given = (at for at, it in enumerate(items) if not is_null(it))
    return next(islice(given, index, None), index)


def first_words(error: ValidationError, top: str = "") -> str:
    """The first thing that does not fit, with its place: `tools.0.name: must be a string, not 5`.

    `top` is what the whole is called.
    """
    problem = error.errors(include_url=False)[0]
    place = ".".join(map(str, problem["loc"])) or top
    return f"{place}: {words(problem)}" if place else words(problem)


def reason(error: Exception) -> str:
    """Why something could not be read, whatever was raised on the way."""
    return first_words(error) if isinstance(error, ValidationError) else str(error)


def shown(value: Any) -> str:
    """A value for a message, as a file has it, cut when long."""
    match value:
        case Scalar():
            text = value.source or kind_of(value)
        case bool():
            text = str(value).lower()
        case None | dict() | list():
            text = kind_of(value)
        case _:
            text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def kind_of(value: Any) -> str:
    """What a value is, for a message: itself where it is neither a mapping nor a list."""
    match plain(value):
        case dict():
            return with_article("object")
        case list():
            return with_article("array")
        case None:
            return with_article("null")
        case _:
            return shown(value)
