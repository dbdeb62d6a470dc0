"""Write the facts of a dialect's table of releases into its schemas, as `x-since`, `x-refused-since` and so on.

A fact whose place is in no schema is an error, so a table cannot be about keys that do not exist.
"""

import copy
from collections.abc import Iterator
from typing import Any

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, branches
from waza_engine.analysis.schema.tolerance import Schema, map_schemas
from waza_engine.recognition.recognise import Kind, dialect, releases
from waza_engine.recognition.releases import Fact

_VALUES = "x-values"


class UnknownPlaceError(LookupError):
    """A fact is about a place that no schema has."""


def with_facts(schema: Schema, dialect_name: str, kind: Kind) -> Schema:
    """Return the schema of a kind of file with the facts about its keys and values, and about its graders."""
    table, result = releases(dialect_name), copy.deepcopy(schema)
    for fact in table.about(f"{kind.name}:"):
        _mark_all(result, list(_below(result, result, fact.path)), fact)
    if kind.tolerates_unknown and (since := table.tolerated_since):
        result = _tolerating(result, since)
    for entry in (it for it in result.get("$defs", {}).values() if DISCRIMINATOR in it):
        for fact in (*table.about("grader"), *table.about("entry")):
            _mark_entry(entry, fact)
    return result


def _tolerating(schema: Schema, since: str) -> Schema:
    """Mark the mappings of a file, except the options of graders, whose unknown keys a version began to tolerate."""

    def mark(it: Schema) -> Schema:
        is_closed = it.get("additionalProperties") is False and not it.get("x-strict")
        return {**it, "x-unknown-tolerated-since": since} if is_closed else it

    definitions = {
        # Definitions of graders are called `<type>-<name>`.
        name: it if "-" in name else map_schemas(it, mark)
        for name, it in schema.get("$defs", {}).items()
    }
    rest = map_schemas({key: it for key, it in schema.items() if key != "$defs"}, mark)
    return {**rest, "$defs": definitions}


def with_grader_facts(schema: Schema, dialect_name: str, type_name: str) -> Schema:
    """Return the schema of a type's options with the facts about the type and about them."""
    result = copy.deepcopy(schema)
    for fact in releases(dialect_name).about("grader"):
        name, _, rest = fact.path.partition(".")
        if name == type_name:
            places = list(_below(result, result, rest)) if rest else [result]
            _mark_all(result, places, fact)
    return result


def require_places(dialect_name: str, schemas: dict[str, Schema]) -> None:
    """Check that each fact's file kind, grader type, entry key and rule exists.

    Raises:
        UnknownPlaceError: one of them does not exist.

    """
    table, of = releases(dialect_name), dialect(dialect_name)
    types = [it for it in schemas if it.startswith(f"{of.schema_folder}graders/")]
    known = {f"{it.name}:" for it in of.kinds} | {"grader", "entry", "rule"}
    for fact in table.facts:
        type_name = fact.path.partition(".")[0]
        is_type = f"{of.schema_folder}graders/{type_name}" in types
        if fact.subject not in known or (fact.subject in {"grader", "entry"} and not is_type):
            raise UnknownPlaceError(fact.place)


def _below(root: Schema, schema: Schema, path: str) -> Iterator[Schema]:
    """Yield the schemas at a path; several if alternatives have it."""
    name, _, rest = path.partition(".")
    is_list = name.endswith("[]")
    for part in _alternatives(root, schema):
        if name == "*" and not rest:
            if "properties" in part:
                yield part
            continue
        free = part.get("additionalProperties")
        found = free if name == "*" else part.get("properties", {}).get(name.removesuffix("[]"))
        if not isinstance(found, dict):
            continue
        if is_list:
            lists = (it for it in _alternatives(root, found) if isinstance(it.get("items"), dict))
            ends = [it["items"] for it in lists]
        else:
            ends = [found]
        for it in ends:
            yield from _below(root, it, rest) if rest else (it,)


def _alternatives(root: Schema, schema: Schema) -> Iterator[Schema]:
    """Yield the schema itself, what it refers to, and its alternatives."""
    yield schema
    if "$ref" in schema:
        yield from _alternatives(root, root["$defs"][schema["$ref"].rpartition("/")[2]])
    for it in schema.get("anyOf", ()):
        yield from _alternatives(root, it)


def _mark_all(root: Schema, places: list[Schema], fact: Fact) -> None:
    if not places:
        raise UnknownPlaceError(f"{fact.place}: {root.get('title', '')} has no such key")
    for it in places:
        _mark(it, fact)


def _mark(schema: Schema, fact: Fact) -> None:
    if fact.value is not None:
        schema[_VALUES] = {**schema.get(_VALUES, {}), fact.value: _marks(fact)}
    elif fact.path.endswith(".*"):
        schema["x-unknown-refused-since"] = fact.refused_since
        schema["x-unknown-note"] = fact.note
    else:
        schema.update(_marks(fact))


def _marks(fact: Fact) -> dict[str, Any]:
    found: dict[str, Any] = {
        "x-since": fact.since,
        "x-applied-since": fact.applied_since,
        "x-changed-in": fact.changed,
        "x-deprecated-since": fact.deprecated,
        "x-refused-since": fact.refused_since,
        "x-before": fact.before if fact.before != "unknown" else "",
        "x-inferred": fact.sure == "inferred",
        "x-version-note": fact.note,
    }
    if fact.value is None and (fact.deprecated or fact.refused_since):
        found["deprecated"] = True
        found["x-use-instead"] = fact.fix.removeprefix("rename ") if fact.fix.startswith("rename ") else ""
    return {key: it for key, it in found.items() if it}


def _mark_entry(entry: Schema, fact: Fact) -> None:
    """Write a fact about a grader type to the entry that has it: to the value of `type`, or to the type's branch."""
    type_name, _, key = fact.path.partition(".")
    branch = branches(entry).get(type_name)
    if branch is None:
        return
    if fact.subject == "entry":
        _mark(branch["properties"].setdefault(key, {}), fact)
    elif not key and fact.value is None:
        kind = entry["properties"][entry[DISCRIMINATOR]]
        kind[_VALUES] = {**kind.get(_VALUES, {}), type_name: _marks(fact)}
