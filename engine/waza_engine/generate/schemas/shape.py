"""Shape pydantic's schemas for publication: short, with good messages in other tools.

Two errors for one mistake, or an error about a branch that the author did not choose, come from the shape of a
schema. So there is no `oneOf` here: "X or null" is X, "text or object" is one schema with two types.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from waza_engine.analysis.schema.tolerance import LIST, NAMED, ONE, Schema, map_schemas

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_TITLES = ("name", "id", "path", "prompt", "command", "tool", "dest", "after_turn", "type")
"""Keys that name a list item in an outline, best first."""
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_ORDER = ("$schema", "title", "description", "type", "enum", "const", "required")
_LAST = ("properties", "items", "additionalProperties", "anyOf", "allOf", "if", "then", "else", "$defs")


class _Untitled(GenerateJsonSchema):
    """Leaves out titles that only repeat the key."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def model_schema(model: type[BaseModel]) -> Schema:
    """Return the shaped schema of a model, with `$defs`."""
    raw = model.model_json_schema(schema_generator=_Untitled)
    definitions = raw.get("$defs", {})
    for name, definition in definitions.items():
        if definition.get("title") == name:
            del definition["title"]
    if raw.get("title") == model.__name__:
        del raw["title"]
    return finish_schema(shape_schema(raw, definitions))


def shape_schema(schema: Schema, definitions: Schema) -> Schema:
    """Apply all shaping rules to a schema, innermost first."""

    def apply_rules(part: Schema) -> Schema:
        part = _without_null(part)
        part = _with_several_types(part, definitions)
        _spell_bounds(part)
        _lift_marks(part)
        _name_items(part)
        if part.get("default") in ("", [], {}, None):
            part.pop("default", None)
        return part

    return map_schemas(schema, apply_rules)


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Yield the schema and every schema in it."""
    yield schema
    for key in ONE:
        if isinstance(schema.get(key), dict):
            yield from subschemas(schema[key])
    for key in LIST:
        for part in schema.get(key, ()):
            yield from subschemas(part)
    for key in NAMED:
        for part in schema.get(key, {}).values():
            yield from subschemas(part)


def finish_schema(schema: Schema) -> Schema:
    """Add the draft, remove unused definitions and sort the keywords."""
    definitions = schema.get("$defs", {})
    used = _reachable({k: v for k, v in schema.items() if k != "$defs"}, definitions)
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    if used:
        rest["$defs"] = {name: definitions[name] for name in sorted(used)}
    return map_schemas({"$schema": DRAFT, **rest}, _ordered)


def _reachable(schema: Schema, definitions: Schema) -> set[str]:
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        for part in subschemas(waiting.pop()):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in definitions and name not in found:
                found.add(name)
                waiting.append(definitions[name])
    return found


def _ordered(schema: Schema) -> Schema:
    def place(key: str) -> tuple[int, str]:
        if key in _ORDER:
            return _ORDER.index(key), ""
        return (100 + _LAST.index(key), "") if key in _LAST else (50, key)

    return {key: schema[key] for key in sorted(schema, key=place)}


def _without_null(schema: Schema) -> Schema:
    """Write "X or null" as X: an absent key means the same."""
    choices = schema.get("anyOf", [])
    kept = [it for it in choices if it != {"type": "null"}]
    if len(kept) == len(choices):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**kept[0], **rest} if len(kept) == 1 else {**rest, "anyOf": kept}


def _with_several_types(schema: Schema, definitions: Schema) -> Schema:
    """Write "string or object" as one schema: keywords for objects do not apply to strings."""
    choices = schema.get("anyOf", [])
    objects = [it for it in choices if "$ref" in it or it.get("type") == "object"]
    scalars = [it for it in choices if it not in objects and isinstance(it.get("type"), str)]
    if len(objects) != 1 or not scalars or len(objects) + len(scalars) != len(choices):
        return schema
    target = objects[0]
    if "$ref" in target:
        target = shape_schema(definitions[target["$ref"].removeprefix("#/$defs/")], definitions)
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    plain = {key: value for it in scalars for key, value in it.items() if key != "type"}
    return {**target, **plain, **rest, "type": [*(it["type"] for it in scalars), "object"]}


def _spell_bounds(schema: Schema) -> None:
    """Rename the bounds of "number or null", which pydantic gives other names."""
    for own, keyword in _BOUNDS.items():
        if own in schema and "type" in schema:
            schema[keyword] = schema.pop(own)


_LIFTED = {"x-required": "required", "x-tolerated": "x-tolerated", "x-recommended": "x-recommended"}


def _lift_marks(schema: Schema) -> None:
    """Turn marks of single properties into lists on the object, like `required`."""
    properties = schema.get("properties", {})
    for mark, keyword in _LIFTED.items():
        marked = [name for name, it in properties.items() if it.get(mark) is True]
        if marked:
            wanted = {*schema.get(keyword, []), *marked}
            schema[keyword] = [name for name in properties if name in wanted]
    for option in properties.values():
        for mark in _LIFTED:
            if option.get(mark) is True:
                del option[mark]
    if unless := schema.pop("x-required-unless", None):
        one_of_them: Schema = {"anyOf": [{"required": [it]} for it in unless]}
        asked = {it: schema.pop(it) for it in _LIFTED.values() if it in schema}
        schema.setdefault("allOf", []).append({"if": one_of_them, "else": asked})


def _name_items(schema: Schema) -> None:
    """Record which key names an object in an outline."""
    properties = schema.get("properties", {})
    names = [it for it in _TITLES if it in properties]
    if names and "x-title-from" not in schema:
        schema["x-title-from"] = names[:2] if names[:2] == ["name", "id"] else names[:1]
    if "type" in properties and "config" in properties:
        schema["x-detail-from"] = "type"
