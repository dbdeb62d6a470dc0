"""Tables of keys and options for pages, from JSON Schemas."""

import json
from collections.abc import Iterator
from typing import Any

from waza_engine.analysis.schema.navigate import key_groups
from waza_engine.analysis.schema.tolerance import Schema
from waza_engine.generate.schemas.shape import subschemas
from waza_engine.lib.type_words import MANY, ONE

_REFERENCE = "#/$defs/"
_PLURAL = {word: MANY[name] for name, word in ONE.items() if name in MANY}


def option_tables(schema: Schema, program: str = "waza") -> str:
    """Return a table of the options, then one per kind of mapping in them; `program` is the owner of the versions."""
    if not schema.get("properties"):
        return "This type has no options."
    definitions = schema.get("$defs", {})
    parts = [_table(schema, definitions, program)]
    if group := [it[0] for it in key_groups(schema.get("anyOf", ()))]:
        parts.append(f"At least one of {', '.join(f'`{it}`' for it in group)} must be given.")
    shown: list[str] = []
    waiting = [("", schema)]
    while waiting:
        prefix, part = waiting.pop(0)
        for key, name in _mappings(part):
            if name not in shown:
                shown.append(name)
                waiting.append((f"{prefix}{key}.", definitions[name]))
                heading = f"### In `{prefix}{key}`"
                parts += [
                    heading,
                    definitions[name].get("description", ""),
                    _table(definitions[name], definitions, program),
                ]
    return "\n\n".join(it for it in parts if it)


def _mappings(schema: Schema) -> Iterator[tuple[str, str]]:
    """Each option that takes mappings of a named kind, with the kind's name."""
    for key, option in schema.get("properties", {}).items():
        for part in subschemas(option):
            if "$ref" in part:
                yield key, part["$ref"].removeprefix(_REFERENCE)


def _table(schema: Schema, definitions: Schema, program: str) -> str:
    rows = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key, option in schema.get("properties", {}).items():
        needed = key in schema.get("required", ())
        default = (
            "required" if needed else f"`{json.dumps(option['default'])}`" if "default" in option else ""
        )
        cells = [f"`{key}`", kind_words(option, definitions), default, meaning(option, program)]
        rows.append("| " + " | ".join(in_cell(it) for it in cells) + " |")
    return "\n".join(rows)


def in_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def meaning(option: Schema, program: str) -> str:
    dates = "".join(f" {it}." for it in version_words(option, program))
    described = option.get("x-enum-descriptions", {})
    listed = [it for it in option.get("enum", ()) if it in described] or described
    values = [f"`{value}`: {described[value]}" for value in listed]
    example = option.get("examples", [None])[0]
    shown = f" Example: `{json.dumps(example, ensure_ascii=False)}`." if example is not None else ""
    return " ".join([option.get("description", ""), *values]) + dates + shown


def version_words(schema: Schema, program: str) -> Iterator[str]:
    """Yield when a key came, was deprecated and was refused, from the marks in its schema."""
    for mark, words in (
        ("x-since", "Since"),
        ("x-deprecated-since", "Deprecated since"),
        ("x-refused-since", "Refused since"),
    ):
        if mark in schema:
            yield f"{words} {program} {schema[mark]}"


def kind_words(option: Schema, definitions: Schema) -> str:
    """Return the kind of value that an option takes: `list of strings`, `number from 0 to 1`."""
    if "$ref" in option:
        return kind_words(
            definitions.get(option["$ref"].removeprefix(_REFERENCE), {"type": "object"}), definitions
        )
    if "enum" in option:
        return " or ".join(f"`{it}`" for it in option["enum"])
    declared = option.get("type", "any value")
    names: list[str] = declared if isinstance(declared, list) else [declared]
    kinds = [ONE.get(it, it) for it in names]
    if names == ["array"]:
        words, comma, limits = kind_words(option.get("items", {}), definitions).partition(", ")
        return f"list of {' or '.join(_PLURAL.get(it, it) for it in words.split(' or '))}{comma}{limits}"
    return " or ".join(kinds) + _range_words(option)


def _range_words(option: dict[str, Any]) -> str:
    low, high = option.get("minimum"), option.get("maximum")
    match low, high:
        case None, None:
            return ""
        case _, None:
            return f", at least {low}"
        case None, _:
            return f", at most {high}"
        case _:
            return f" from {low} to {high}"
