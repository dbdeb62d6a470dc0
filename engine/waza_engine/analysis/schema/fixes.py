"""Fixes for schema errors: other values, other types, keys to add, rename or remove."""

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import is_typo, likely_names
from waza_engine.model.findings import (
    AddBlanks,
    Fix,
    InsertKey,
    MakeList,
    QuoteValue,
    RemoveKey,
    RenameKey,
    SetValue,
)

_ITEM_WITHOUT_BLANK = re.compile(r"-(?=[^\s-])")
_KEY_WITHOUT_BLANK = re.compile(r"[\w.-]+:(?=[^\s:/\\])")
_TIME = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)", re.IGNORECASE
)
_PART = re.compile(_TIME.pattern + r"(?![a-z])", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_MAX_FIXES = 3
QUOTE_ADVICE = "; quote a text that contains ': '"
_TYPES: dict[str, Any] = {"integer": int, "number": (int, float), "boolean": bool}


def rename_fixes(place: Pointer, key: str, close: Sequence[str]) -> list[Fix]:
    """Return fixes that rename a key; for an obvious typo the fix is safe."""
    return [
        Fix(f"Change to '{it}'", (RenameKey(place, it),), preferred=index == 0, safe=_is_sure(key, it, close))
        for index, it in enumerate(close)
    ]


def value_fixes(place: Pointer, value: str, close: Sequence[str], allowed: Sequence[Any]) -> list[Fix]:
    """Return fixes to similar allowed values, or to all allowed values if they are few."""
    if not close and len(allowed) <= _MAX_FIXES:
        return [Fix(f"Change to '{it}'", (SetValue(place, it),)) for it in allowed]
    return [
        Fix(
            f"Change to '{it}'", (SetValue(place, it),), preferred=index == 0, safe=_is_sure(value, it, close)
        )
        for index, it in enumerate(close)
    ]


def _is_sure(word: str, name: str, close: Sequence[str]) -> bool:
    return [it for it in close if is_typo(word, it)] == [name]


def type_advice(place: Pointer, value: Any, wanted: Collection[str], key: str = "") -> tuple[str, list[Fix]]:
    """Return advice for the message about a value of the wrong type, and fixes.

    `key` is the key of the value; for a value that is checked alone, it is not part of `place`.
    """
    if "array" in wanted and _is_list_without_spaces(value):
        return "; missing space after '-'", [add_space(place)]
    if "object" in wanted and isinstance(value, str) and is_key_without_space(value):
        return "; missing space after ':'", [add_space(place)]
    if "array" in wanted and isinstance(value, Mapping) and _has_items_by_name(value):
        first = next(iter(value))
        return f"; write each as an item of a list, such as '- name: {first}'", []
    if "array" in wanted and isinstance(value, (str, int, float, Mapping)):
        is_safe = not isinstance(value, Mapping)
        return "", [Fix("Make it a list", (MakeList(place),), preferred=True, safe=is_safe)]
    if (
        isinstance(value, str)
        and (number := _likely_number(key or str(place[-1] if place else ""), value, wanted)) is not None
    ):
        fix = Fix(f"Change to {number}", (SetValue(place, number),), preferred=True)
        return f". Did you mean {number}?", [fix]
    if isinstance(value, str) and (bare := _unquoted(value, wanted)) is not None:
        fix = Fix("Remove the quotes", (SetValue(place, bare),), preferred=True, safe=True)
        return "; remove the quotes", [fix]
    if (
        isinstance(value, str)
        and "boolean" in wanted
        and (close := likely_names(value, ["true", "false"], most=1))
    ):
        fix = Fix(f"Change to {close[0]}", (SetValue(place, close[0] == "true"),), preferred=True)
        return f". Did you mean {close[0]}?", [fix]
    if "string" in wanted and isinstance(value, Mapping) and is_text_with_colon(value, {}):
        fix = Fix("Quote the text", (QuoteValue(place),), preferred=True)
        return QUOTE_ADVICE, [fix]
    if "string" in wanted and isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return "", [Fix("Remove the list around it", (SetValue(place, value[0]),), preferred=True)]
    return "", []


def _has_items_by_name(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping holds the items of a list by their names; as one item it would have lost all of them."""
    return bool(value) and all(isinstance(it, Mapping) for it in value.values())


def is_text_with_colon(value: Mapping[Any, Any], schema: Mapping[str, Any]) -> bool:
    """Whether a mapping without a key of its schema is probably a text that YAML splits at its `: `."""
    is_strange = value and not value.keys() & schema.get("properties", {}).keys()
    return bool(is_strange) and all(isinstance(it, (str, int, float)) for it in value.values())


def nest_fixes(place: Pointer, value: str, key: str) -> list[Fix]:
    """Return the fix that turns a string into a mapping with the string under `key`."""
    return [Fix(f"Put it under '{key}'", (SetValue(place, {key: value}),), preferred=True)]


def _likely_number(key: str, text: str, wanted: Collection[str]) -> float | None:
    """Convert a percentage to a fraction, or a duration to the unit of the key; None for anything else."""
    if (found := _TIME.fullmatch(text.strip())) and "integer" in wanted and "string" not in wanted:
        milliseconds = float(found[1]) * _milliseconds(found[2].lower())
        value = milliseconds if key.endswith("_ms") else milliseconds / 1000
        is_time = key.endswith(("_ms", "_seconds", "timeout", "Timeout"))
        return int(value) if is_time and value.is_integer() and value > 0 else None
    if (found := _PERCENT.fullmatch(text.strip())) and "number" in wanted and "string" not in wanted:
        value = float(found[1]) / 100
        return value if math.isfinite(value) else None
    return None


def _milliseconds(unit: str) -> int:
    if unit.startswith(("ms", "milli")):
        return 1
    return {"s": 1000, "m": 60_000, "h": 3_600_000}[unit[0]]


def duration_with_unit(text: str, units: Collection[str]) -> str | None:
    """Normalise a duration to a whole number with a unit; None if the text is not a duration.

    A bare number means seconds; several parts (`1m 30s`) are added up.
    """
    bare = text.strip()
    parts = _PART.findall(bare)
    if re.fullmatch(r"\d+", bare):
        return f"{bare}s" if "s" in units else None
    if not parts or _PART.sub("", bare).strip():
        return None
    total = sum(float(number) * _milliseconds(unit.lower()) for number, unit in parts)
    if not math.isfinite(total):
        return None
    if len(parts) == 1 and float(parts[0][0]).is_integer():
        given = parts[0][1].lower()
        unit = "ms" if given.startswith(("ms", "milli")) else given[0]
        return f"{int(float(parts[0][0]))}{unit}"
    seconds = total / 1000
    return f"{int(seconds)}s" if seconds.is_integer() else f"{round(total)}ms"


def is_key_without_space(text: str) -> bool:
    """Whether a text starts like `key:x`."""
    return _KEY_WITHOUT_BLANK.match(text) is not None


def add_space(place: Pointer) -> Fix:
    """Return the fix that adds the space after a dash or colon."""
    return Fix("Add the missing space", (AddBlanks(place),), preferred=True, safe=True)


def _is_list_without_spaces(value: Any) -> bool:
    """Whether a text, or the first key of a mapping, starts like `-x`."""
    if isinstance(value, Mapping):
        value = next(iter(value), "")
    return isinstance(value, str) and _ITEM_WITHOUT_BLANK.match(value) is not None


def _unquoted(value: str, wanted: Collection[str]) -> Any:
    try:
        result = json.loads(value.lower() if value.lower() in {"true", "false"} else value)
    except (ValueError, RecursionError):
        return None
    if isinstance(result, float) and not math.isfinite(result):
        return None
    fitting = [it for it in wanted if it in _TYPES and isinstance(result, _TYPES[it])]
    # In Python, a bool is a number.
    return result if fitting and ("boolean" in wanted or not isinstance(result, bool)) else None


def bound_fixes(place: Pointer, bound: Any) -> list[Fix]:
    """Return the fix to the nearest allowed value."""
    return [Fix(f"Change to {bound}", (SetValue(place, bound),), preferred=True)]


def keep_one_fixes(place: Pointer, names: Sequence[str], mapping: Mapping[str, Any]) -> list[Fix]:
    """Return one fix for each of the mutually exclusive keys: keep it and remove the others."""
    there = [it for it in names if it in mapping]
    return [
        Fix(f"Keep only '{it}'", tuple(RemoveKey((*place, other)) for other in there if other != it))
        for it in there
    ]


def combined_fixes(fixes: Sequence[Fix], more: Sequence[Fix]) -> tuple[Fix, ...]:
    """Return fixes that each add both of two things missing in one place."""
    if not fixes or not more:
        return (*fixes, *more)
    pairs = list(product(fixes, more))[:_MAX_FIXES]
    return tuple(
        Fix(
            f"{one.title}, {other.title.removeprefix('Add ')}",
            (*one.changes, *other.changes),
            preferred=(one.preferred or len(fixes) == 1) and (other.preferred or len(more) == 1),
        )
        for one, other in pairs
    )


def likely_types(options: Mapping[str, Collection[str]], config: Any, old: Collection[str] = ()) -> list[str]:
    """Return the types that have all options of `config`: those with the fewest options first, `old` ones last."""
    given = set(config) if isinstance(config, Mapping) else set()
    fitting = [kind for kind, keys in options.items() if given and given <= set(keys)]
    return sorted(fitting, key=lambda it: (it in old, len(options[it])))[:_MAX_FIXES]


def add_type_fixes(place: Pointer, key: str, kinds: Iterable[str]) -> list[Fix]:
    """Return fixes that add one of the likely types."""
    return [
        Fix(f"Add '{key}: {it}'", (InsertKey(place, key, it),), preferred=index == 0)
        for index, it in enumerate(kinds)
    ]


def skeleton_fixes(schema: Mapping[str, Any]) -> Iterator[Fix]:
    """Yield the fix that writes the first keys of a new file: `x-skeleton`, or the required keys."""
    keys = schema.get("x-skeleton") or dict.fromkeys(schema.get("required", ()))
    if keys:
        changes = tuple(InsertKey((), key, value) for key, value in keys.items())
        yield Fix("Write a skeleton", changes, preferred=True)
