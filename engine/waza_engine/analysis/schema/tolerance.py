"""Widens a schema for other tools: open lists accept any name, and placeholders are valid anywhere.

Other tools apply a schema literally. For them an open list of names is "one of these, or any string", and in files that
allow `${NAME}` anywhere, every value may be such a string. Our own checks handle both and need the plain schema:
`unwiden` undoes `widen`. Cheap to import, because the language server starts with it and without pydantic.
"""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

ONE = ("items", "additionalProperties", "if", "then", "else", "not")
LIST = ("anyOf", "allOf", "oneOf", "prefixItems")
NAMED = ("properties", "$defs", "patternProperties")
"""The keywords that hold one schema, a list of them, or schemas by name."""


def map_schemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """Return a copy with `change` applied to every schema in it, innermost first; data (`examples`) stays as it is."""
    copy = dict(schema)
    for key in ONE:
        if isinstance(copy.get(key), dict):
            copy[key] = map_schemas(copy[key], change)
    for key in LIST:
        if key in copy:
            copy[key] = [map_schemas(it, change) for it in copy[key]]
    for key in NAMED:
        if key in copy:
            copy[key] = {name: map_schemas(it, change) for name, it in copy[key].items()}
    return change(copy)


PLACEHOLDERS = "x-placeholders"
"""At the top of a schema: such a file may have `${NAME}` anywhere."""
OPEN = "x-open"
"""Beside an `enum`: other strings may be valid, too. Its value is the severity of a name that resembles no known one."""
_WIDENED = "x-widened"
_PLACEHOLDER = r"\$\{[A-Za-z_][A-Za-z0-9_]*(=[^}]*)?\}"


def widen(schema: Schema) -> Schema:
    """Return the schema as other tools should read it."""
    if not _needs_widening(schema):
        return schema
    takes_placeholders = bool(schema.get(PLACEHOLDERS))

    def rules(it: Schema) -> Schema:
        it = _with_open_list(it)
        return _with_placeholders(it) if takes_placeholders and "type" in it else it

    inner = map_schemas({key: it for key, it in schema.items() if key != "type"}, rules)
    return {**inner, "type": schema["type"], _WIDENED: True}


def unwiden(schema: Schema) -> Schema:
    """Undo `widen`."""
    if not schema.get(_WIDENED):
        return schema
    return map_schemas({key: it for key, it in schema.items() if key != _WIDENED}, _without_widening)


def _needs_widening(schema: Schema) -> bool:
    return bool(schema.get(PLACEHOLDERS)) or OPEN in str(schema)


def _with_open_list(schema: Schema) -> Schema:
    if OPEN not in schema or "enum" not in schema:
        return schema
    rest = {key: it for key, it in schema.items() if key != "enum"}
    return {**rest, "anyOf": [{"enum": schema["enum"]}, {"type": "string"}]}


def _with_placeholders(schema: Schema) -> Schema:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "string" not in types:
        return {**schema, "type": [*types, "string"], "pattern": _PLACEHOLDER}
    if "pattern" in schema:
        return {**schema, "pattern": f"{schema['pattern']}|{_PLACEHOLDER}"}
    if "enum" in schema:
        rest = {key: it for key, it in schema.items() if key != "enum"}
        return {**rest, "anyOf": [{"enum": schema["enum"]}, {"pattern": _PLACEHOLDER}]}
    return schema


def _without_widening(schema: Schema) -> Schema:
    result = dict(schema)
    match schema.get("anyOf"):
        case [{"enum": names}, {"type": "string"} | {"pattern": _}]:
            del result["anyOf"]
            result["enum"] = names
        case _:
            pass
    pattern = schema.get("pattern") if "type" in schema else None
    if pattern == _PLACEHOLDER:
        del result["pattern"]
        types: Any = [it for it in schema["type"] if it != "string"]
        result["type"] = types[0] if len(types) == 1 else types
    elif isinstance(pattern, str):
        result["pattern"] = pattern.removesuffix(f"|{_PLACEHOLDER}")
    return result
