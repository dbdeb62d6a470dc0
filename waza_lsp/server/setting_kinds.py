"""The kinds of settings: their JSON Schemas, and how the client's values are read."""

from collections.abc import Callable, Mapping
from typing import Any

from waza_engine.project.levels import LEVEL_NAMES, read_levels
from waza_engine.project.settings import VERSION_PATTERN, read_names, read_target
from waza_lsp.server.coexistence import FEATURES, is_feature, read_beside

FLAG = {"type": "boolean"}
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}
VERSION = {"type": "string", "pattern": VERSION_PATTERN}
NAMES = {"type": "array", "items": {"type": "string", "enum": list(FEATURES)}, "uniqueItems": True}
TYPES = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
VARIABLES = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True}
LEVELS = {"type": "object", "additionalProperties": {"type": "string", "enum": list(LEVEL_NAMES)}}


def _flag_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, bool)
    return (
        (value, [])
        if fits
        else (default, [f"Setting {name} must be true or false; {str(default).lower()} is used"])
    )


def _text_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    fits = isinstance(value, str)
    return (value, []) if fits else (default, [f"Setting {name} must be a string; it is ignored"])


def _count_from(value: Any, name: str, default: Any) -> tuple[Any, list[str]]:
    # Some clients send numbers as floats.
    fits = (
        isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value == int(value)
    )
    return (int(value), []) if fits else (default, [f"Setting {name} must be a number; {default} is used"])


def _levels_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_levels(value, f"Setting {name}")


def _names_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    if not isinstance(value, (list, tuple)):
        return (), [f"Setting {name} must be a list; it is ignored"]
    unknown = [it for it in value if not is_feature(it)]
    message = f"Setting {name}: unknown {', '.join(map(repr, unknown))}. Known names: {', '.join(FEATURES)}"
    return tuple(sorted(read_beside(value))), [message] if unknown else []


def _types_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_names(value, f"Setting {name}")


def _variables_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    if isinstance(value, (list, tuple)) and all(isinstance(it, str) for it in value):
        return tuple(value), []
    return (), [f"Setting {name} must be a list of variable names, such as ['MY_API_KEY']; it is ignored"]


def _version_from(value: Any, name: str, _default: Any) -> tuple[Any, list[str]]:
    return read_target(value, f"Setting {name}")


_Reader = Callable[[Any, str, Any], tuple[Any, list[str]]]
_READERS: dict[str, _Reader] = {
    "boolean": _flag_from,
    "integer": _count_from,
    "string": _text_from,
    "object": _levels_from,
    "array": _names_from,
}


def reader_of(schema: Mapping[str, Any]) -> _Reader:
    """Return the function that reads a setting: it takes the value, the name and the default."""
    special = {id(VERSION): _version_from, id(TYPES): _types_from, id(VARIABLES): _variables_from}
    return special.get(id(schema), _READERS[schema["type"]])


def value_at(values: Any, parts: list[str]) -> Any:
    """Return the value of a setting in the client's `waza` section; None if it has none."""
    for part in parts:
        values = values.get(part) if isinstance(values, Mapping) else getattr(values, part, None)
    return values
