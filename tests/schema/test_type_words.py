"""Types and limits in people's words."""

from typing import Any

import pytest

from waza_engine.analysis.schema.checker import SchemaChecker
from waza_lsp.schema.type_words import limits, type_words

ROOT: dict[str, Any] = {"$defs": {"Item": {"type": "object", "properties": {"a": {}}}}}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "whole number"),
        ({"type": "boolean"}, "true or false"),
        ({"type": ["string", "number"]}, "string or number"),
        ({"type": ["string", "null"]}, "string"),
        ({"type": "array", "items": {"type": "string"}}, "list of strings"),
        ({"type": "array", "items": {"type": "boolean"}}, "list of booleans"),
        ({"type": "array", "items": {"$ref": "#/$defs/Item"}}, "list of mappings"),
        ({"type": "array", "items": {"type": ["string", "object"]}}, "list of strings or mappings"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "list of `a` / `b`"),
        ({"type": "array", "items": {}}, "list"),
        ({"$ref": "#/$defs/Item"}, "mapping"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "mapping of strings"),
        ({"type": "object", "additionalProperties": False, "properties": {"a": {}}}, "mapping"),
        ({"type": "string", "enum": ["a", "b"]}, "one of `a`, `b`"),
        ({"enum": list("abcdefg")}, "one of 7 values"),
        ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Item"}, {"type": "null"}]}, "string or mapping"),
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "mapping"),
        ({}, "any value"),
    ],
)
def test_types(schema: dict[str, Any], words: str) -> None:
    assert type_words(ROOT, schema) == words


@pytest.mark.parametrize(
    ("schema", "phrases"),
    [
        ({"minimum": 0, "maximum": 1}, ["From 0 to 1"]),
        ({"minimum": 1}, ["At least 1"]),
        ({"maximum": 255}, ["At most 255"]),
        ({"exclusiveMinimum": 0}, ["More than 0"]),
        ({"exclusiveMaximum": 0.5}, ["Less than 0.5"]),
        ({"minItems": 1}, ["Not empty"]),
        ({"minLength": 1}, ["Not empty"]),
        ({"minItems": 2, "maxItems": 2}, ["Exactly 2 items"]),
        ({"minItems": 2, "maxItems": 5}, ["At least 2 items", "At most 5 items"]),
        ({"pattern": "^a$"}, ["Must match `^a$`"]),
        ({}, []),
    ],
)
def test_limits(schema: dict[str, Any], phrases: list[str]) -> None:
    assert list(limits(schema)) == phrases


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "a string"),
        ({"type": "integer"}, "a whole number"),
        ({"type": "boolean"}, "true or false"),
        ({"type": "object"}, "a mapping"),
        ({"type": "array"}, "a list"),
        ({"type": "array", "items": {"type": "string"}}, "a list of strings"),
        ({"type": "array", "items": {"type": "boolean"}}, "a list of booleans"),
        ({"type": ["string", "array", "null"]}, "a string or a list"),
    ],
)
def test_findings_name_types_as_hovers_do(schema: dict[str, Any], words: str) -> None:
    wrong = 7 if schema["type"] == "object" else {"a": 1}
    [finding] = SchemaChecker(schema).check(wrong)
    assert finding.message.startswith(f"Expected {words}, found ")
    assert type_words({}, schema) == words.replace("a ", "")
