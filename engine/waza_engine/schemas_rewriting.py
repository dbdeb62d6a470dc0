"""Changing every schema inside a schema. Cheap to import: the language server starts without pydantic."""

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]

ONE = ("items", "additionalProperties", "if", "then", "else", "not")
LIST = ("anyOf", "allOf", "oneOf", "prefixItems")
NAMED = ("properties", "$defs", "patternProperties")
"""The keywords that hold one schema, a list of them, or schemas by name."""


def rewritten(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """A copy in which `change` was applied to every schema, innermost first. Data (`examples` ...) is left alone."""
    copy = dict(schema)
    for key in ONE:
        if isinstance(copy.get(key), dict):
            copy[key] = rewritten(copy[key], change)
    for key in LIST:
        if key in copy:
            copy[key] = [rewritten(it, change) for it in copy[key]]
    for key in NAMED:
        if key in copy:
            copy[key] = {name: rewritten(it, change) for name, it in copy[key].items()}
    return change(copy)
