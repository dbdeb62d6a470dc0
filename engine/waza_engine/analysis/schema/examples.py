"""Writes a short example of a mapping or list, taken from its schema, for messages about values of the wrong shape."""

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from waza_engine.analysis.schema.keyword import Schema
from waza_engine.analysis.schema.navigate import key_groups
from waza_engine.analysis.schema.schema_index import SchemaIndex

_LONGEST = 60
_MOST_LEVELS = 4
_SHAPES = frozenset(["object", "array"])
_PLAIN = re.compile(r"[A-Za-z_./][\w./*-]*( [\w./*-]+)*")
_NOT_STRINGS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n", ".", ".inf", ".nan"])


def example_words(index: SchemaIndex, schema: Schema, wanted: Collection[str]) -> str:
    """Return `, for example ...` for a value of one of the wanted types.

    Empty if a scalar is wanted, too, and if the schema suggests nothing short.
    """
    kinds = [it for it in wanted if it != "null"]
    if not _SHAPES.issuperset(kinds):
        return ""
    text = _block(_sample(index, {**index.resolve(schema), "type": kinds}))
    if text and index.is_item(schema):
        text = f"- {text}"
    return f", for example `{text}`" if text and len(text) <= _LONGEST else ""


def _sample(index: SchemaIndex, schema: Schema, levels: int = _MOST_LEVELS) -> Any:
    """Return a small value that fits a schema, of a mapping one key; None if the schema suggests none."""
    schema = index.resolve(schema)
    if not levels or schema.get("deprecated"):
        return None
    kinds = _kinds(schema)
    for example in schema.get("examples", ()):
        if isinstance(example, dict):
            if "object" in kinds and example:
                return _first(index, schema, example)
        elif isinstance(example, list):
            if "array" in kinds and example:
                items = index.resolve(schema.get("items", {}))
                return [_first(index, items, example[0])] if isinstance(example[0], dict) else example
        elif not _SHAPES.issuperset(kinds):
            return example
    if "object" in kinds:
        members = schema.get("properties", {})
        samples = ((key, _sample(index, members.get(key, {}), levels - 1)) for key in _keys(index, schema))
        return next(({key: it} for key, it in samples if it is not None), None)
    if "array" in kinds:
        item = _sample(index, schema.get("items", {}), levels - 1)
        return None if item is None else [item]
    return next(iter(schema.get("enum", ())), schema.get("default"))


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", "object" if "properties" in schema else "string")
    return [kinds] if isinstance(kinds, str) else kinds


def _first(index: SchemaIndex, schema: Schema, members: dict[str, Any]) -> dict[str, Any]:
    """Return the most important member of an example."""
    key = next((it for it in _keys(index, schema) if it in members), next(iter(members)))
    return {key: members[key]}


def _keys(index: SchemaIndex, schema: Schema) -> Iterator[str]:
    """Yield the keys of a mapping, needed ones first."""
    yield from schema.get("required", ())
    for group in key_groups([index.resolve(it) for it in schema.get("anyOf", ())]):
        yield group[0]
    yield from schema.get("properties", ())


def _block(value: Any) -> str:
    """Write a value on one line, in block style where it has one."""
    if value and isinstance(value, dict):
        key, member = next(iter(value.items()))
        return f"{key}: {_flow(member)}"
    if value and isinstance(value, list):
        return f"- {_block(value[0])}" if isinstance(value[0], dict) else _flow(value)
    return ""


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(it)}" for key, it in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_STRINGS:
        return value
    return json.dumps(value, ensure_ascii=False)
