"""A value to start from where a key is missing: the schema's default or example, else the least that fits its type."""

from collections.abc import Mapping
from typing import Any

from waza_engine.analysis.schema.navigate import Schema, child, narrowed, properties, schema_at, value_at
from waza_engine.findings import Pointer
from waza_lsp.schema.skeleton import body_of
from waza_lsp.syntax.rows import scalar_value
from waza_lsp.syntax.template import Body, Hole

_NOTHING_KNOWN = "TODO"


def placeholder(root: Schema, pointer: Pointer, key: str, data: Any) -> Any:
    """What to write for `key` in the mapping at `pointer`."""
    around = schema_at(root, pointer, data)
    value = value_at(data, pointer)
    found = child(root, around, key, value) if around is not None else None
    if found is None:
        return _NOTHING_KNOWN
    found = narrowed(root, found, None)
    # A default that stands for "nothing" would change nothing.
    if found.get("default"):
        return found["default"]
    return _filled(body_of(root, found))


def key_order(root: Schema, pointer: Pointer, data: Any) -> list[str]:
    """The keys of the mapping at a pointer, in the order in which they are best written."""
    around = schema_at(root, pointer, data)
    return list(properties(root, around, value_at(data, pointer))) if around is not None else []


def _filled(body: Body) -> Any:
    match body:
        case Hole(text="", choices=()):
            return _NOTHING_KNOWN
        case Hole():
            return scalar_value(body.text or body.choices[0])
        case str():
            return scalar_value(body)
        case Mapping():
            return {key: _filled(it) for key, it in body.items()}
        case _:
            return [_filled(it) for it in body]
