"""Which keys of a mapping are asked for: always, because of other keys, or as one of several."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_lsp.schema.walk import Schema, resolve


def needed(root: Schema, schema: Schema, value: Any) -> list[str]:
    """The keys that a mapping with the keys and values of `value` must have, in the order of the schema."""
    wanted = set(_needed(root, schema, value if isinstance(value, Mapping) else {}))
    listed = [it for it in schema.get("properties", ()) if it in wanted]
    return [*listed, *sorted(wanted.difference(listed))]


def recommended(schema: Schema) -> list[str]:
    """The keys without which a file is accepted, but works badly."""
    return list(schema.get("x-recommended", ()))


def choices(schema: Schema) -> list[list[str]]:
    """Groups of keys of which at least one group must be there."""
    groups = schema.get("anyOf", ())
    return [list(it["required"]) for it in groups] if all(set(it) == {"required"} for it in groups) else []


def is_chosen(schema: Schema, value: Any) -> bool:
    """Whether one of the groups is complete already, or there are none."""
    keys = value if isinstance(value, Mapping) else {}
    groups = choices(schema)
    return not groups or any(all(it in keys for it in group) for group in groups)


def _needed(root: Schema, schema: Schema, value: Mapping[str, Any]) -> Iterator[str]:
    yield from schema.get("required", ())
    for rule in schema.get("allOf", ()):
        if "if" not in rule:
            yield from _needed(root, resolve(root, rule), value)
        elif consequence := rule.get("then" if _holds(rule["if"], value) else "else"):
            yield from _needed(root, resolve(root, consequence), value)


def _holds(condition: Schema, value: Mapping[str, Any]) -> bool:
    """Whether a condition of the forms that our schemas use is fulfilled."""
    return (
        all(it in value for it in condition.get("required", ()))
        and all(
            _is_one_of(it, value.get(key))
            for key, it in condition.get("properties", {}).items()
            if key in value
        )
        and ("anyOf" not in condition or any(_holds(it, value) for it in condition["anyOf"]))
        and ("not" not in condition or not _holds(condition["not"], value))
    )


def _is_one_of(schema: Schema, value: Any) -> bool:
    return value in schema.get("enum", [schema["const"]] if "const" in schema else [value])
