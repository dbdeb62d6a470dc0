"""Keywords that ask something of parts of a value, or that combine schemas.

Of a list of alternatives chosen by a discriminator, only the chosen one is looked at: a branch that the author did not
pick is never blamed.
"""

import re
from collections.abc import Mapping
from typing import Any

from waza_engine.validation.error import SchemaError
from waza_engine.validation.keyword import Check, Keyword, Maker, Schema, Way

DISCRIMINATOR = "x-discriminator"
NO_VALUE = "x-no-value"
"""What a key violates that must have a value and has none."""


def _properties(it: Keyword) -> Check:
    known, compiled = it.value, it.compiler.compiled
    order = {name: index for index, name in enumerate(known)}

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            for name in sorted(instance.keys() & order.keys(), key=order.__getitem__):
                compiled(known[name])(instance[name], (way, name), out)

    return check


def _additional(it: Keyword) -> Check:
    known = it.schema.get("properties", {})
    patterns = [re.compile(pattern) for pattern in it.schema.get("patternProperties", ())]
    more = it.compiler.compiled(it.value) if isinstance(it.value, Mapping) else None

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if not isinstance(instance, dict) or instance.keys() <= known.keys():
            return
        names = [name for name in instance if name not in known and not any(p.search(name) for p in patterns)]
        if more is not None:
            for name in names:
                more(instance[name], (way, name), out)
        elif names and it.value is False:
            out.append(it.error(instance, way))

    return check


def _required(it: Keyword) -> Check:
    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            out.extend(it.error(instance, way) for name in it.value if name not in instance)

    return check


def required_value(it: Keyword) -> Check:
    """The same where `null` is refused: a key that must be there must also have a value."""
    absent, blank = _required(it), it._replace(name=NO_VALUE)
    needed = [name for name in it.value if name not in it.schema.get("x-tolerated", ())]

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        absent(instance, way, out)
        if isinstance(instance, dict):
            empty = (name for name in needed if name in instance and instance[name] is None)
            out.extend(blank.error(None, (way, name)) for name in empty)

    return check


def _items(it: Keyword) -> Check:
    item, start = it.compiler.compiled(it.value), len(it.schema.get("prefixItems", ()))

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, list):
            for index in range(start, len(instance)):
                item(instance[index], (way, index), out)

    return check


def _reference(it: Keyword) -> Check:
    target, compiled = it.compiler.target(it.value), it.compiler.compiled

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        # Not compiled ahead: a schema may contain itself.
        compiled(target)(instance, way, out)

    return check


def _condition(it: Keyword) -> Check:
    compiled = it.compiler.compiled
    test = compiled(it.value)

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        against: list[SchemaError] = []
        test(instance, way, against)
        branch = "else" if against else "then"
        if branch in it.schema:
            compiled(it.schema[branch])(instance, way, out)

    return check


def _all_of(it: Keyword) -> Check:
    key, compiled = it.schema.get(DISCRIMINATOR), it.compiler.compiled
    branches = {
        branch["if"]["properties"][key].get("const"): branch["then"]
        for branch in reversed(it.value)
        if _is_branch(branch, key)
    }
    others = [part for part in it.value if not _is_branch(part, key)]

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        kind = instance.get(key) if branches and isinstance(instance, dict) else None
        if isinstance(kind, str) and kind in branches:
            # The branch is known to apply: going to its consequence at once keeps the `if` from being tried.
            compiled(branches[kind])(instance, way, out)
        for part in others:
            compiled(part)(instance, way, out)

    return check


def _is_branch(schema: Schema, key: str | None) -> bool:
    return key is not None and key in schema.get("if", {}).get("properties", {})


def _alternatives(it: Keyword) -> Check:
    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        fitting, context = _fitting(it, instance, way)
        if not fitting:
            out.append(it.error(instance, way, context=context))
        elif len(fitting) > 1:
            out.append(it.error(instance, way))

    return check


def _fitting(it: Keyword, instance: Any, way: Way) -> tuple[list[int], list[SchemaError]]:
    """Which of the alternatives fit, and, up to the first one that does, why others do not."""
    fitting: list[int] = []
    context: list[SchemaError] = []
    for index, part in enumerate(it.value):
        against: list[SchemaError] = []
        it.compiler.compiled(part)(instance, way, against)
        if not against:
            fitting.append(index)
            if it.name == "anyOf":
                break
        elif not fitting:
            context += [_of_alternative(error, index) for error in against]
    return fitting, context


def _of_alternative(error: SchemaError, index: int) -> SchemaError:
    return SchemaError(
        error.validator,
        error.validator_value,
        error.instance,
        error.schema,
        error.absolute_path,
        error.message,
        error.context,
        (index,),
    )


def _not(it: Keyword) -> Check:
    unwanted = it.compiler.compiled(it.value)

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        against: list[SchemaError] = []
        unwanted(instance, way, against)
        if not against:
            out.append(it.error(instance, way, f"{instance!r} should not be valid under {it.value!r}"))

    return check


PART_KEYWORDS: dict[str, Maker] = {
    "$ref": _reference,
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "items": _items,
    "if": _condition,
    "allOf": _all_of,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "not": _not,
}
