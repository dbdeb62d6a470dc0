"""What errors say that are about keys, not about values: those that do nothing, are old, or want another beside them."""

from collections.abc import Iterator

from waza_engine.analysis.schema.schema_index import SchemaIndex
from waza_engine.findings import (
    Finding,
    Fix,
    InsertKey,
    MoveKey,
    Pointer,
    RemoveKey,
    RenameKey,
    Rule,
    Severity,
)
from waza_engine.rules.empty_value import EMPTY_VALUE
from waza_engine.rules.missing_companion import MISSING_COMPANION
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.validation.error import SchemaError
from waza_engine.validation.keywords import unmet_needs

LEGACY_SHAPE = Rule(
    "legacy-shape",
    "form of an older version",
    Severity.INFORMATION,
    frozenset(["deprecated"]),
    outdated=True,
)
"""Defined next to its first user: a schema marks the old keys, the rule of this name finds all other old forms."""


def no_effect(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """A key that waza reads and never uses."""
    if "x-move-to" in error.schema:
        return
    pointer = error.absolute_path
    fix = Fix(f"Remove {_key(pointer)}", (RemoveKey(pointer),))
    message = f"{_key(pointer)} has no effect. {error.schema.get('description', '')}".strip()
    message = message[0].upper() + message[1:]
    yield NEVER_APPLIED.at(pointer, message, on="key", fixes=[fix])


def old_form(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """A legacy key. `x-move-to` is the way to its new place from the mapping that it is in, empty when there is none."""
    pointer = error.absolute_path
    way = str(error.validator_value)
    change = MoveKey(pointer, (*pointer[:-1], *way.split("."))) if "." in way else RenameKey(pointer, way)
    fix = Fix(f"Change to '{way}'", (change,), preferred=True, safe=True)
    if not way:
        fix = Fix(f"Remove {_key(pointer)}", (RemoveKey(pointer),), preferred=True, safe=True)
    instead = f"; it is now '{way}'" if way else f". {error.schema.get('description', '')}"
    message = f"{_key(pointer)} is an old form{instead}"
    message = message[0].upper() + message[1:]
    yield LEGACY_SHAPE.at(pointer, message, on="key", fixes=[fix], severity=error.severity)


def no_value(index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """A key that needs a value and has none; of a mapping it is said which of its own keys that value needs."""
    pointer = error.absolute_path
    *above, name = pointer
    wanted = index.resolve(error.schema.get("properties", {}).get(name, {})).get("required", ())
    listed = "".join(f", '{it}'" for it in wanted).removeprefix(", ")
    message = f"{_key(pointer)} has no value, and it needs one" + (f": {listed}" if listed else "")
    # Which of several words is meant nobody can tell.
    fix = Fix(f"Fill in {_key(pointer)}", (InsertKey(tuple(above), str(name), None),), preferred=bool(wanted))
    yield EMPTY_VALUE.at(pointer, message, on="key", fixes=[fix])


def companion(_index: SchemaIndex, error: SchemaError) -> Iterator[Finding]:
    """A list that needs another option beside it."""
    pointer = error.absolute_path
    for name in unmet_needs(error.instance, error.validator_value):
        option, likely = error.validator_value[name]["option"], error.validator_value[name]["likely"]
        values = [str(it) for it in error.schema["properties"][option].get("enum", ())]
        listed = f": {', '.join(values[:-1])} or {values[-1]}" if len(values) > 1 else ""
        fix = Fix(f"Add '{option}: {likely}'", (InsertKey(pointer, option, likely),), preferred=True)
        message = f"'{name}' needs a '{option}'{listed}"
        yield MISSING_COMPANION.at((*pointer, name), message, on="key", fixes=[fix], refused=True)


def _key(pointer: Pointer) -> str:
    """The key at a pointer, quoted; a value that is checked on its own does not know its key."""
    return f"'{pointer[-1]}'" if pointer else "this key"
