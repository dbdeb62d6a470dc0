"""Finds the part of a schema that applies to a place in the data.

Alternatives are narrowed on the way: a discriminator (`type` of a grader) picks its branch wherever it stands in the
mapping; other alternatives are chosen by the shape of the value.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.lib.pointer import Pointer

Schema = Mapping[str, Any]

DISCRIMINATOR = "x-discriminator"


def resolve(root: Schema, schema: Schema) -> Schema:
    """Follow local `$ref`s; keywords beside a reference (such as a description) override those of its target."""
    while "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[part]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema


def schema_at(root: Schema, pointer: Pointer, data: Any) -> Schema | None:
    """Return the schema of the value at `pointer`, chosen by the data on the way; None if there is none."""
    schema, value = narrow(root, root, data), data
    for part in pointer:
        found = child(root, schema, part, value)
        if found is None:
            return None
        value = _step(value, part)
        schema = narrow(root, found, value)
    return schema


def child(root: Schema, schema: Schema, part: str | int, value: Any) -> Schema | None:
    """Return the schema of one member or item of a value; `schema` must be resolved and narrowed."""
    if isinstance(part, int):
        items = schema.get("items")
        return resolve(root, items) if isinstance(items, Mapping) else None
    found = schema.get("properties", {}).get(part)
    branch = branch_of(schema, value)
    if branch is not None and (more := resolve(root, branch).get("properties", {}).get(part)) is not None:
        # As in `properties`, which would merge all keys of the branch for this one.
        found = {**resolve(root, found or {}), **resolve(root, more)}
    if found is None and isinstance(schema.get("additionalProperties"), Mapping):
        found = schema["additionalProperties"]
    return resolve(root, found) if isinstance(found, Mapping) else None


def properties(root: Schema, schema: Schema, value: Any) -> dict[str, Schema]:
    """Return the schemas of the keys that a mapping may have, in the preferred order."""
    result: dict[str, Schema] = dict(schema.get("properties", {}))
    branch = branch_of(schema, value)
    if branch is not None:
        for name, part in resolve(root, branch).get("properties", {}).items():
            result[name] = {**resolve(root, result.get(name, {})), **resolve(root, part)}
    return result


def required_keys(root: Schema, schema: Schema, value: Any) -> list[str]:
    """Return the keys that a mapping with the members of `value` requires, in the order of the schema."""
    wanted = set(_required(root, schema, value if isinstance(value, Mapping) else {}))
    listed = [it for it in schema.get("properties", ()) if it in wanted]
    return [*listed, *sorted(wanted.difference(listed))]


def recommended_keys(schema: Schema) -> list[str]:
    """Return the keys without which a file is accepted but works badly."""
    return list(schema.get("x-recommended", ()))


def key_groups(alternatives: Sequence[Schema]) -> list[list[str]]:
    """Return the groups of keys of which a mapping needs one; empty if the alternatives are not about keys only."""
    is_about_keys = all(set(it) == {"required"} for it in alternatives)
    return [list(it["required"]) for it in alternatives] if is_about_keys else []


def has_key_group(schema: Schema, value: Any) -> bool:
    """Whether a mapping has all keys of one group, or its schema has no groups."""
    keys = value if isinstance(value, Mapping) else {}
    groups = key_groups(schema.get("anyOf", ()))
    return not groups or any(all(it in keys for it in group) for group in groups)


def _required(root: Schema, schema: Schema, value: Mapping[str, Any]) -> Iterator[str]:
    yield from schema.get("required", ())
    for rule in schema.get("allOf", ()):
        if "if" not in rule:
            yield from _required(root, resolve(root, rule), value)
        elif consequence := rule.get("then" if _holds(rule["if"], value) else "else"):
            yield from _required(root, resolve(root, consequence), value)


def _holds(condition: Schema, value: Mapping[str, Any]) -> bool:
    """Whether a condition holds; only the forms that our schemas use are supported."""
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


def branch_of(schema: Schema, value: Any) -> Schema | None:
    """Return the branch (`then`) that the discriminator in `value` picks."""
    key = schema.get(DISCRIMINATOR)
    kind = value.get(key) if key and isinstance(value, Mapping) else None
    if not isinstance(kind, str):
        return None
    return next((then for name, then in _branches(schema) if name == kind), None)


def branches(schema: Schema) -> dict[str, Schema]:
    """Return all branches of a discriminated schema by the value that picks them."""
    return dict(_branches(schema))


def _branches(schema: Schema) -> Iterator[tuple[str, Schema]]:
    key = schema.get(DISCRIMINATOR)
    for it in schema.get("allOf", ()) if key else ():
        if "if" in it and key in it["if"].get("properties", {}):
            yield it["if"]["properties"][key]["const"], it["then"]


def narrow(root: Schema, schema: Schema, value: Any) -> Schema:
    """Return the alternative of `anyOf`/`oneOf` that has the shape of the value, or else the first one."""
    schema = resolve(root, schema)
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if not alternatives:
        return schema
    options = [resolve(root, it) for it in alternatives]
    if key_groups(options):
        return schema
    options = [it for it in options if it.get("type") != "null"]
    chosen = next((it for it in options if _has_shape(it, value)), options[0])
    outer = {key: it for key, it in schema.items() if key not in {"anyOf", "oneOf"}}
    return {**chosen, **outer}


def branching_data(root: Schema, pointer: Pointer, data: Any) -> Any:
    """Return only those parts of `data` that choose branches on the way to `pointer`.

    An item on the way is the only one of its list, so with the result every index of the pointer is 0.
    """
    schema = narrow(root, root, data)
    return _branching_data(root, schema, pointer, data)


def _branching_data(root: Schema, schema: Schema, pointer: Pointer, value: Any) -> Any:
    key = schema.get(DISCRIMINATOR)
    kept = {key: value[key]} if key and isinstance(value, Mapping) and isinstance(value.get(key), str) else {}
    found = child(root, schema, pointer[0], value) if pointer else None
    if found is None:
        return kept
    below = _step(value, pointer[0])
    inner = _branching_data(root, narrow(root, found, below), pointer[1:], below)
    return [inner] if isinstance(pointer[0], int) else {**kept, pointer[0]: inner}


def discriminated_values(
    root: Schema, schema: Schema, value: Any, pointer: Pointer = ()
) -> Iterator[tuple[Pointer, Schema]]:
    """Yield this value and those below it whose schemas have a discriminator: the graders of a document."""
    schema = narrow(root, schema, value)
    if DISCRIMINATOR in schema:
        yield pointer, schema
    members: Iterator[tuple[str | int, Any]]
    if isinstance(value, Mapping):
        members = iter(value.items())
    elif isinstance(value, list):
        members = iter(enumerate(value))
    else:
        return
    for part, it in members:
        if isinstance(it, (Mapping, list)) and (below := child(root, schema, part, value)) is not None:
            yield from discriminated_values(root, below, it, (*pointer, part))


def _has_shape(schema: Schema, value: Any) -> bool:
    wanted = schema.get("type")
    shapes: dict[str, Any] = {
        "object": Mapping,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
    }
    kinds = wanted if isinstance(wanted, list) else [wanted]
    return any(it in shapes and isinstance(value, shapes[it]) for it in kinds)


def value_at(data: Any, pointer: Pointer) -> Any:
    """Return the value at a pointer into plain data; None if there is none."""
    for part in pointer:
        data = _step(data, part)
    return data


def _step(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return value[part] if isinstance(value, list) and part < len(value) else None
    return value.get(part) if isinstance(value, Mapping) else None
