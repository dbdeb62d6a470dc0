"""Turns one schema error into findings: a sentence with the value and what to do, and fixes."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.analysis.schema.compiler import unmet_needs
from waza_engine.analysis.schema.examples import example_words
from waza_engine.analysis.schema.fixes import (
    bound_fixes,
    duration_with_unit,
    keep_one_fixes,
    nest_fixes,
    type_advice,
    value_fixes,
)
from waza_engine.analysis.schema.keyword import SchemaError
from waza_engine.analysis.schema.navigate import key_groups
from waza_engine.analysis.schema.part_keywords import NO_VALUE
from waza_engine.analysis.schema.placement import tolerated_keys, unknown_keys
from waza_engine.analysis.schema.schema_index import SchemaIndex
from waza_engine.analysis.schema.value_keywords import BEYOND_INTEGERS
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import likely_names
from waza_engine.lib.type_words import any_of, list_of, with_article
from waza_engine.lib.yaml.scalars import source_text
from waza_engine.model.findings import (
    Finding,
    Fix,
    InsertKey,
    MoveKey,
    RemoveKey,
    RenameKey,
    Rule,
    SetValue,
    Severity,
)
from waza_engine.rules.bad_format import BAD_FORMAT
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.missing_companion import MISSING_COMPANION
from waza_engine.rules.missing_key import MISSING_KEY
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.rules.out_of_range import OUT_OF_RANGE
from waza_engine.rules.unknown_grader_type import UNKNOWN_GRADER_TYPE
from waza_engine.rules.unknown_value import UNKNOWN_VALUE
from waza_engine.rules.wrong_type import WRONG_TYPE

LEGACY_SHAPE = Rule(
    "legacy-shape",
    "form of an older version",
    Severity.INFORMATION,
    frozenset(["deprecated"]),
    outdated=True,
    fixable=True,
)
"""Defined next to its first user: a schema marks old keys, the rule of this name finds all other old forms."""


def findings_of_error(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Yield the findings of one error; missing keys are left to `gather`."""
    yield from _BY_KEYWORD.get(str(error.validator), _other)(index, error)


def errors_of_choice(index: SchemaIndex, error: SchemaError) -> list[SchemaError]:
    """Return the errors of the only alternative that has the type of the value; empty if none or several have."""
    if error.validator not in {"anyOf", "oneOf"}:
        return []
    branches = [index.resolve(it) for it in error.validator_value]
    if key_groups(branches):
        return []
    fitting = [index for index, it in enumerate(branches) if _fits(it, error.instance)]
    return [it for it in error.context or () if [it.relative_schema_path[0]] == fitting]


def _no_effect(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Report a key that waza reads and never uses."""
    level = error.validator_value
    if "x-move-to" in error.schema or level == "rule":
        return
    pointer = error.absolute_path
    fix = Fix(f"Remove {_key(pointer)}", (RemoveKey(pointer),))
    message = f"{_key(pointer)} has no effect. {error.schema.get('description', '')}".strip()
    message = message[0].upper() + message[1:]
    severity = Severity(level) if isinstance(level, str) else None
    yield NEVER_APPLIED.at(pointer, message, on="key", fixes=[fix], severity=severity)


def _old_form(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Report a legacy key. `x-move-to` is its new place, relative to its mapping; empty if there is none."""
    pointer = error.absolute_path
    way = str(error.validator_value)
    change = MoveKey(pointer, (*pointer[:-1], *way.split("."))) if "." in way else RenameKey(pointer, way)
    fix = Fix(f"Change to '{way}'", (change,), preferred=True, safe=True)
    if not way:
        fix = Fix(f"Remove {_key(pointer)}", (RemoveKey(pointer),), preferred=True, safe=True)
    change_text = f"is now '{way}'" if way else f"is outdated. {error.schema.get('description', '')}"
    message = f"{_key(pointer)} {change_text}"
    message = message[0].upper() + message[1:]
    yield LEGACY_SHAPE.at(pointer, message, on="key", fixes=[fix], severity=error.severity)


def _no_value(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Report a key without the value it needs; for a mapping, list the keys that the value requires."""
    pointer = error.absolute_path
    *above, name = pointer
    wanted = index.resolve(error.schema.get("properties", {}).get(name, {})).get("required", ())
    listed = "".join(f", '{it}'" for it in wanted).removeprefix(", ")
    message = f"{_key(pointer)} needs a value" + (f": {listed}" if listed else "")
    # Without required keys, the fix cannot know which value is meant.
    fix = Fix(f"Fill in {_key(pointer)}", (InsertKey(tuple(above), str(name), None),), preferred=bool(wanted))
    yield EMPTY_VALUE.at(pointer, message, on="key", fixes=[fix])


def _companion(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Report a list that needs another option beside it."""
    pointer = error.absolute_path
    for name in unmet_needs(error.instance, error.validator_value):
        option, likely = error.validator_value[name]["option"], error.validator_value[name]["likely"]
        values = [str(it) for it in error.schema["properties"][option].get("enum", ())]
        listed = f": {', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else ""
        fix = Fix(f"Add '{option}: {likely}'", (InsertKey(pointer, option, likely),), preferred=True)
        message = f"'{name}' needs a '{option}'{listed}"
        yield MISSING_COMPANION.at((*pointer, name), message, on="key", fixes=[fix], refused=True)


def _key(pointer: Pointer) -> str:
    """Return the key at a pointer, quoted; a value that is checked alone does not know its key."""
    return f"'{pointer[-1]}'" if pointer else "this key"


def _wrong_type(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    wanted = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    pointer, value = error.absolute_path, error.instance
    if isinstance(value, (int, float)) and BEYOND_INTEGERS <= value < math.inf:
        yield OUT_OF_RANGE.at(
            pointer, f"{source_text(value)} is out of range: a whole number must fit into 64 bits"
        )
        return
    if isinstance(value, str):  # Where a string is valid, this one looks like a mapping.
        wanted = [it for it in wanted if it != "string"]
    expected = any_of(map(str, wanted))
    if wanted == ["array"] and (items := index.resolve(error.schema.get("items", {})).get("type")):
        expected = list_of(items)
    advice, fixes = type_advice(
        pointer, value, [str(it) for it in wanted], str(error.schema.get("x-unit", ""))
    )
    is_truncated = isinstance(value, float) and error.schema.get("x-truncates")
    if is_truncated and math.isfinite(value):
        # The loader accepts a fraction, but hardly anybody means what becomes of it.
        advice = f". Runs use {int(value)}"
        fixes = [
            Fix(f"Change to {it}", (SetValue(pointer, it),)) for it in (math.floor(value), math.ceil(value))
        ]
        message = f"Expected {expected}, found {_value_words(value)}{advice}"
        yield WRONG_TYPE.at(pointer, message, fixes=fixes, severity=Severity.WARNING)
        return
    key = error.schema.get("x-text-as")
    if not fixes and key and isinstance(value, str):
        fixes = nest_fixes(pointer, value, str(key))
    example = _example(index, error, wanted, advice, fixes)
    message = f"Expected {expected}{example}, found {_value_words(value)}{advice}"
    yield WRONG_TYPE.at(pointer, message, fixes=fixes)


def _example(
    index: SchemaIndex, error: SchemaError, wanted: Collection[str], advice: str, fixes: Sequence[Fix]
) -> str:
    """Return an example of the right shape, where neither advice nor a safe fix shows it."""
    if advice or any(it.safe for it in fixes):
        return ""
    return example_words(index, error.schema, wanted)


def _value_words(value: Any) -> str:
    match value:
        case bool():
            return f"{str(value).lower()}"
        case int() | float():
            return f"the number {source_text(value)}"
        case str():
            return f"the string '{_short(value)}'"
        case list():
            return with_article("array")
        case dict():
            return with_article("object")
        case _:
            return with_article("null")


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _unknown_value(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    pointer, allowed = error.absolute_path, [str(it) for it in error.validator_value]
    if isinstance(error.instance, (dict, list)):
        yield WRONG_TYPE.at(
            pointer, f"Expected {with_article('string')}, found {_value_words(error.instance)}"
        )
        return
    value = source_text(error.instance) if isinstance(error.instance, (int, float)) else str(error.instance)
    meant = error.schema.get("x-meant", {}).get(value)
    close = [meant] if meant else likely_names(value, allowed)
    fixes = value_fixes(pointer, value, close, error.validator_value)
    current = [it for it in allowed if it not in error.schema.get("x-enum-deprecated", ())]
    advice = error.schema.get("x-if-unknown", "")
    listed = f"Known: {', '.join(current)}" + (f". {advice}" if advice else "")
    hint = f"Did you mean '{close[0]}'?" if close else listed
    severity = _open_list_severity(error, is_near=bool(close)) or error.severity
    if index.is_discriminator(error.schema):
        severity = severity if value else None  # No plug-in has an empty name.
        message = f"Unknown grader type '{value}'. {hint}"
        found = UNKNOWN_GRADER_TYPE.at(pointer, message, fixes=fixes, severity=severity)
        yield replace(found, open_name=value)
    else:
        message = _with_consequence(f"Unknown value '{_short(value)}'. {hint}", error)
        yield UNKNOWN_VALUE.at(pointer, message, fixes=fixes, severity=severity)


def _open_list_severity(error: SchemaError, *, is_near: bool) -> Severity | None:
    """Return the severity of an unknown name that plug-ins may add; None leaves it to the rule."""
    severity = error.schema.get("x-open")
    if severity is None or (is_near and severity == Severity.WARNING):
        return None
    return Severity(severity)


def _bound(word: str, *, is_allowed: bool = False) -> Callable[[SchemaIndex, SchemaError], Iterator[Finding]]:
    def out_of_range(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
        message = f"{error.instance} is out of range: it must be {word} {error.validator_value}"
        yield OUT_OF_RANGE.at(
            error.absolute_path,
            _with_consequence(message, error),
            severity=error.severity,
            fixes=bound_fixes(error.absolute_path, error.validator_value)
            if is_allowed
            else _default_fixes(error),
        )

    return out_of_range


def _with_consequence(message: str, error: SchemaError) -> str:
    consequence = error.schema.get("x-consequence")
    if not consequence:
        return message
    return f"{message}{'' if message.endswith('?') else '.'} {consequence}"


def _default_fixes(error: SchemaError) -> list[Fix]:
    """Return the fix to the default, where the bound itself is not allowed."""
    default = error.schema.get("default")
    return bound_fixes(error.absolute_path, default) if default else []


def _empty(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    what = {"minItems": "The list", "minLength": "The string", "minProperties": "The mapping"}[
        str(error.validator)
    ]
    message = (
        f"{what} must not be empty"
        if error.validator_value == 1
        else f"{what} needs at least {error.validator_value} items"
    )
    yield EMPTY_VALUE.at(error.absolute_path, message)


def _too_many(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    yield OUT_OF_RANGE.at(error.absolute_path, f"The list may have at most {error.validator_value} items")


def _alternatives(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """Report `anyOf` and `oneOf`: groups of keys of which one is needed, or alternatives of different types."""
    branches = [index.resolve(it) for it in error.validator_value]
    if groups := key_groups(branches):
        if not isinstance(error.instance, Mapping):
            return  # The error of its type reports that it is not a mapping.
        yield _one_of(error, [it[0] for it in groups])
        return
    wanted = [str(it["type"]) for it in branches if "type" in it]
    expected = any_of(dict.fromkeys(wanted))
    advice, fixes = type_advice(error.absolute_path, error.instance, wanted)
    shaped = next((it for it in branches if it.get("type") in {"object", "array"}), {})
    example = _example(index, replace(error, schema=shaped), wanted, advice, fixes)
    message = f"Expected {expected}{example}, found {_value_words(error.instance)}{advice}"
    yield WRONG_TYPE.at(error.absolute_path, message, fixes=fixes)


def _one_of(error: SchemaError, names: list[str]) -> Finding:
    """Return the finding for no key or too many keys of a group; a key without a value counts as absent."""
    pointer, mapping = error.absolute_path, error.instance
    listed = ", ".join(f"'{it}'" for it in names)
    blank = [it for it in names if mapping.get(it, "") is None]
    if error.validator == "oneOf" and any(it in mapping and it not in blank for it in names):
        fixes = keep_one_fixes(pointer, names, mapping)
        return MISSING_KEY.at(pointer, f"Give only one of {listed}", on="key", fixes=fixes)
    free = [*blank, *(it for it in names if it not in mapping)]
    title = {it: "Fill in" if it in blank else "Add" for it in free}
    fixes = [Fix(f"{title[it]} '{it}'", (InsertKey(pointer, it, None),)) for it in free]
    message = f"Give at least one of {listed}"
    if blank:
        pointer, message = (*pointer, blank[0]), f"'{blank[0]}' needs a value. Give at least one of {listed}"
    return MISSING_KEY.at(pointer, message, on="key", fixes=fixes, severity=error.severity)


def _fits(schema: Mapping[str, Any], value: Any) -> bool:
    wanted = schema.get("type")
    actual = next((kind for of, kind in _PYTHON_KINDS.items() if isinstance(value, of)), "null")
    return wanted is None or actual == wanted or actual in wanted


_PYTHON_KINDS = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
"""`bool` comes before `int`, because in Python it is a subclass of it."""


def _pattern(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    wanted = error.schema.get("x-pattern-text", f"it must match {error.validator_value}")
    pointer, value = error.absolute_path, error.instance
    text = source_text(value) if isinstance(value, (int, float)) else str(value)
    meant = duration_with_unit(text, error.schema.get("x-units", ()))
    others = (f"{text}.0", *error.schema.get("examples", ())[:1])
    near = [meant] if meant else [it for it in others if _has_format(error, it)]
    fixes = [Fix(f"Change to '{it}'", (SetValue(pointer, it),), preferred=it == meant) for it in near]
    yield BAD_FORMAT.at(pointer, f"'{_short(text)}' has the wrong format: {wanted}", fixes=fixes)


def _has_format(error: SchemaError, value: Any) -> bool:
    return isinstance(value, str) and re.search(error.validator_value, value) is not None


def _other(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    yield BAD_FORMAT.at(error.absolute_path, error.message)


_BY_KEYWORD: dict[str, Callable[[SchemaIndex, SchemaError], Iterator[Finding]]] = {
    "additionalProperties": unknown_keys,
    "type": _wrong_type,
    "enum": _unknown_value,
    "minimum": _bound("at least", is_allowed=True),
    "maximum": _bound("at most", is_allowed=True),
    "exclusiveMinimum": _bound("more than"),
    "exclusiveMaximum": _bound("less than"),
    "minItems": _empty,
    "minLength": _empty,
    "minProperties": _empty,
    "maxItems": _too_many,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "pattern": _pattern,
    "x-no-effect": _no_effect,
    "x-move-to": _old_form,
    "x-unknown-keys": tolerated_keys,
    "x-needs": _companion,
    NO_VALUE: _no_value,
}
