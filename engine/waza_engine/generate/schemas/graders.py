"""Generate schemas of grader configs, and of the entries whose `type` selects one of them.

An entry is one object schema: an enumeration of types and an `if type = X then config = ...` for each. Generic
tools then report exactly the wrong key; with `oneOf` they report a branch that the author did not choose.
"""

from collections.abc import Mapping, Sequence

from waza_engine.analysis.schema.part_keywords import DISCRIMINATOR
from waza_engine.analysis.schema.tolerance import Schema, map_schemas
from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.generate.schemas.shape import model_schema
from waza_engine.generate.schemas.versions import with_grader_facts
from waza_engine.graders.base import Grader
from waza_engine.graders.registry import graders, graders_in
from waza_engine.recognition.recognise import Dialect

GraderTypes = Mapping[str, Sequence[type[Grader]]]
"""Grader classes by `type`: the current one first, then older generations with the same name."""


def grader_types(dialect: Dialect) -> dict[str, list[type[Grader]]]:
    """Return the types of a dialect: the current ones, then those that only older generations have."""
    found: dict[str, list[type[Grader]]] = {}
    for kinds in (graders(dialect.name).values(), *map(graders_in, dialect.graders[1:])):
        for kind in sorted(kinds, key=lambda it: it.type_name):
            found.setdefault(kind.type_name, []).append(kind)
    return found


def is_legacy(kinds: Sequence[type[Grader]]) -> bool:
    """Whether no grader of the current generation has the type."""
    return issubclass(kinds[0], OlderGrader) or bool(kinds[0].outdated)


def config_schema(kinds: Sequence[type[Grader]], dialect_name: str = "") -> Schema:
    """Return the schema of `config` for one type; options of older generations are deprecated.

    With a dialect, the schema has the facts of its table of releases.
    """
    schema = _options(kinds[0])
    for older in kinds[1:]:
        _merge(schema, _options(older))
    first = kinds[0]
    extra: Schema = {"title": first.type_name, "description": first.summary()}
    if is_legacy(kinds):
        extra["deprecated"] = True
    if cost := _cost(first):
        extra["x-cost"] = cost
    if taxonomy := first.taxonomy():
        extra["x-taxonomy"] = dict(taxonomy)
    schema |= extra
    return with_grader_facts(schema, dialect_name, first.type_name) if dialect_name else schema


def _cost(kind: type[Grader]) -> str:
    """What each grading costs, if the type alone decides that."""
    if kind.asks_judge:
        return "Each grading asks a judge model"
    if kind.executes:
        return "Each grading starts a child process"
    return "Grading is free: it needs no model and starts no process" if kind.deterministic else ""


def _options(kind: type[Grader]) -> Schema:
    schema = model_schema(kind)
    del schema["$schema"]
    schema.pop("x-title-from", None)
    return schema


def _merge(schema: Schema, older: Schema) -> None:
    """Accept the older options too. Required options stay required unless an older option is used."""
    own = schema.setdefault("properties", {})
    foreign = {name: it for name, it in older.get("properties", {}).items() if name not in own}
    for name, option in older.get("properties", {}).items():
        if name in own:
            _widen_items(schema, own[name], option)
    if foreign and "required" in schema:
        schema["anyOf"] = [{"required": schema.pop("required")}, *schema.get("anyOf", [])]
    if "anyOf" in schema:
        # An option whose default already has an effect does not replace a missing required option.
        schema["anyOf"] += [{"required": [name]} for name, it in foreign.items() if not it.get("default")]
    own.update({name: {**it, "deprecated": True} for name, it in foreign.items()})
    schema.setdefault("$defs", {}).update(older.get("$defs", {}))


def _widen_items(schema: Schema, current: Schema, older: Schema) -> None:
    """Accept strings in a list of mappings that used to be a list of strings."""
    name = current.get("items", {}).get("$ref", "").removeprefix("#/$defs/")
    if name and older.get("items", {}).get("type") == "string":
        schema["$defs"] = {**schema["$defs"], name: {**schema["$defs"][name], "type": ["object", "string"]}}


def with_graders(schema: Schema, types: GraderTypes, dialect: Dialect) -> Schema:
    """Return the schema of a file with the configs of all grader types in its grader entries.

    Their `x-docs` names the schema that has the type's page, `x-manual` the page below `docs` where that is called
    otherwise.
    """
    folder, definitions = dialect.schema_folder, dict(schema.get("$defs", {}))
    entries = [name for name, it in definitions.items() if "x-grader-entry" in it]
    if not entries:
        return schema
    for type_name, kinds in types.items():
        config = {**config_schema(kinds, dialect.name), "x-docs": f"{folder}graders/{type_name}"}
        if folder:
            config["x-manual"] = f"graders/{folder}{type_name}"
        for name, definition in config.pop("$defs", {}).items():
            definitions[f"{type_name}-{name}"] = _prefix_references(definition, type_name)
        definitions[f"config-{type_name}"] = _prefix_references(config, type_name)
    for name in entries:
        definitions[name] = _entry(definitions[name], types, definitions)
    return map_schemas({**schema, "$defs": definitions}, lambda it: _with_names(it, types))


def _with_names(schema: Schema, types: GraderTypes) -> Schema:
    """List the types in mappings whose keys are grader types."""
    if schema.get("x-keys") != "grader-type":
        return schema
    return {**schema, "x-key-suggestions": [name for name, kinds in types.items() if not is_legacy(kinds)]}


def _prefix_references(schema: Schema, prefix: str) -> Schema:
    def rename(part: Schema) -> Schema:
        return (
            {**part, "$ref": part["$ref"].replace("#/$defs/", f"#/$defs/{prefix}-")}
            if "$ref" in part
            else part
        )

    return map_schemas(schema, rename)


def _entry(entry: Schema, types: GraderTypes, definitions: Schema) -> Schema:
    properties = dict(entry["properties"])
    properties["type"] = {
        **properties["type"],
        "enum": list(types),
        "x-enum-descriptions": {name: kinds[0].summary() for name, kinds in types.items()},
        "x-enum-deprecated": [name for name, kinds in types.items() if is_legacy(kinds)],
        "x-enum-successors": {
            name: kinds[0].successor for name, kinds in types.items() if kinds[0].successor
        },
    }
    properties["config"] = {**properties["config"], "type": "object"}
    rest = {key: value for key, value in entry.items() if key != "x-grader-entry"}
    branches = [_branch(it, definitions[f"config-{it}"], properties, kinds[0]) for it, kinds in types.items()]
    return {
        **rest,
        DISCRIMINATOR: "type",
        "properties": properties,
        "allOf": [*entry.get("allOf", []), *branches],
    }


def _branch(type_name: str, config: Schema, beside: Schema, kind: type[Grader]) -> Schema:
    then: Schema = {"properties": {"config": {"$ref": f"#/$defs/config-{type_name}"}}}
    named = ["name"] if kind.name_required else []
    needed = {"required": ["config", *named]}
    # Old entries have required options beside `type`. They are deprecated there, but allow a missing config.
    misplaced = [{"required": [it]} for it in config.get("required", ()) if it in beside]
    if misplaced:
        then |= {"if": {"anyOf": misplaced}, "else": needed}
    elif config.get("required") or config.get("anyOf"):
        then |= needed
    if named and "required" not in then:
        then["required"] = named
    return {"if": {"properties": {"type": {"const": type_name}}, "required": ["type"]}, "then": then}
