"""Keywords that check parts of a value or combine schemas.

Of alternatives with a discriminator, only the chosen branch is checked: no error mentions a branch that the author did
not choose.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from waza_engine.analysis.schema.keyword import (
    Check,
    Keyword,
    KeywordFactory,
    ReversedPath,
    Schema,
    SchemaError,
)
from waza_engine.analysis.schema.value_keywords import type_test

DISCRIMINATOR = "x-discriminator"
NO_VALUE = "x-no-value"
"""The keyword of the error for a key without the value it needs."""


def _properties(it: Keyword) -> Check:
    """Check members; an optional `enum` also accepts an empty string, which Go treats as absent."""
    return _check_members(it, _compile_member)


def strict_properties(it: Keyword) -> Check:
    """Check members; an empty string is a value like any other."""
    return _check_members(it, lambda it, name: it.compiler.compiled(it.value[name]))


def _compile_member(it: Keyword, name: str) -> Check:
    member = it.value[name]
    check = it.compiler.compiled(member)
    wanted = (
        *it.schema.get("required", ()),
        *it.schema.get("x-recommended", ()),
        it.schema.get(DISCRIMINATOR),
    )
    # Only schemas of values have a type; the others are parts of conditions.
    if "enum" not in member or member.get("type") != "string" or name in wanted:
        return check
    return lambda instance, way, out: None if instance == "" else check(instance, way, out)


def _check_members(it: Keyword, compiled: Callable[[Keyword, str], Check]) -> Check:
    known = it.value
    order = {name: index for index, name in enumerate(known)}
    checks: dict[str, Check] = {}

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if not isinstance(instance, dict):
            return
        before = len(out)
        for name, value in instance.items():
            found = checks.get(name)
            if found is None:
                if name not in known:
                    continue
                found = checks[name] = compiled(it, name)
            found(value, (way, name), out)
        if len(out) > before + 1:
            # Report several errors in the order of the schema. They are rare, so members are not sorted up front.
            del out[before:]
            for name in sorted(instance.keys() & order.keys(), key=order.__getitem__):
                checks[name](instance[name], (way, name), out)

    return check


def _additional(it: Keyword) -> Check:
    known = it.schema.get("properties", {})
    patterns = [re.compile(pattern) for pattern in it.schema.get("patternProperties", ())]
    more = it.compiler.compiled(it.value) if isinstance(it.value, Mapping) else None

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
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
    """Check required keys; an empty value is Go's zero value and counts as absent.

    See docs/reference/waza-formats.md, section 3.
    """
    names = it.value

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            out += [it.error(instance, way) for name in names if instance.get(name) is None]

    return check


def _required_key(it: Keyword) -> Check:
    names = it.value

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            out += [it.error(instance, way) for name in names if name not in instance]

    return check


def required_value(it: Keyword) -> Check:
    """Check required keys where `null` is refused: a present key without a value is an error on that key."""
    absent, blank = _required_key(it), it._replace(name=NO_VALUE)
    needed = [name for name in it.value if name not in it.schema.get("x-tolerated", ())]

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        absent(instance, way, out)
        if isinstance(instance, dict):
            empty = [name for name in needed if name in instance and instance[name] is None]
            out += [blank.error(None, (way, name)) for name in empty]

    return check


def _items(it: Keyword) -> Check:
    item, start = it.compiler.compiled(it.value), len(it.schema.get("prefixItems", ()))

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if isinstance(instance, list):
            for index in range(start, len(instance)):
                item(instance[index], (way, index), out)

    return check


def _reference(it: Keyword) -> Check:
    # Compiled late: a schema may contain itself.
    target = cache(lambda: it.compiler.compiled(it.compiler.target(it.value)))

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        target()(instance, way, out)

    return check


def _condition(it: Keyword) -> Check:
    compiled = it.compiler.compiled
    test, may_fit = compiled(it.value), _quick_test(it.value)

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        against: list[SchemaError] = []
        fits = may_fit(instance)
        if fits:
            test(instance, way, against)
        branch = "then" if fits and not against else "else"
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

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        kind = instance.get(key) if branches and isinstance(instance, dict) else None
        if isinstance(kind, str) and kind in branches:
            # The discriminator has decided, so the `if` of the branch need not be checked.
            compiled(branches[kind])(instance, way, out)
        for part in others:
            compiled(part)(instance, way, out)

    return check


def _is_branch(schema: Schema, key: str | None) -> bool:
    return key is not None and key in schema.get("if", {}).get("properties", {})


def _alternatives(it: Keyword) -> Check:
    parts, is_any = it.value, it.name == "anyOf"
    compiled, may_fit = it.compiler.compiled, [*map(_quick_test, parts)]

    def fitting(instance: Any, way: ReversedPath) -> int:
        """Count the alternatives that fit; for `anyOf` the count stops at one."""
        count = 0
        for part, is_possible in zip(parts, may_fit, strict=True):
            if is_possible(instance):
                against: list[SchemaError] = []
                compiled(part)(instance, way, against)
                count += not against
                if count and is_any:
                    break
        return count

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        count = fitting(instance, way)
        if not count:
            out.append(it.error(instance, way, context=_branch_errors(it, instance, way)))
        elif count > 1:
            out.append(it.error(instance, way))

    return check


def _quick_test(schema: Any) -> Callable[[Any], bool]:
    """Return a cheap test that rules out most values that do not fit."""
    if not isinstance(schema, Mapping):
        return lambda _: bool(schema)
    is_of_type, names = type_test(schema.get("type")), schema.get("required", ())
    parts = [*map(_quick_test, schema.get("anyOf", ()))]

    def may_fit(instance: Any) -> bool:
        if isinstance(instance, dict) and not all(name in instance for name in names):
            return False
        # A placeholder may become a value of any type.
        is_possible = is_of_type(instance) or (isinstance(instance, str) and "$" in instance)
        return is_possible and (not parts or any(it(instance) for it in parts))

    return may_fit


def _branch_errors(it: Keyword, instance: Any, way: ReversedPath) -> list[SchemaError]:
    """Return the errors of each alternative."""
    context: list[SchemaError] = []
    for index, part in enumerate(it.value):
        against: list[SchemaError] = []
        it.compiler.compiled(part)(instance, way, against)
        context += [_in_branch(error, index) for error in against]
    return context


def _in_branch(error: SchemaError, index: int) -> SchemaError:
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
    unwanted, may_fit = it.compiler.compiled(it.value), _quick_test(it.value)

    def check(instance: Any, way: ReversedPath, out: list[SchemaError]) -> None:
        if not may_fit(instance):
            return
        against: list[SchemaError] = []
        unwanted(instance, way, against)
        if not against:
            out.append(it.error(instance, way, f"{instance!r} should not be valid under {it.value!r}"))

    return check


PART_KEYWORDS: dict[str, KeywordFactory] = {
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
