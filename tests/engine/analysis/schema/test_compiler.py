"""Our walk along a schema finds what the `jsonschema` library finds."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.analysis.schema.reference_validator import PlaceholderValidator, Validator
from tests.slow import examples
from waza_engine.analysis.schema.compiler import Walker
from waza_engine.analysis.schema.files import read_schema, schema_names
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain

ROOT = Path(__file__).parents[4]
ODD = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2.5,
    1e300,
    "",
    "x",
    "yes",
    "type",
    "${X}",
    [],
    [1],
    ["a"],
    {},
    {"type": "x"},
    [None],
]
NAMES = [it for it in schema_names() if not it.startswith("graders/") and "/graders/" not in it]


def documents() -> Iterator[Any]:
    for path in sorted((ROOT / "examples").rglob("*.yaml")):
        try:
            yield plain(read_yaml(path.read_text(encoding="utf-8")))
        except YamlError:
            continue


DOCUMENTS = [it for it in documents() if isinstance(it, dict)]


def examples_of(schema: Any) -> Iterator[Any]:
    """Values that a schema shows, for each of its properties."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            shown = {name: it["examples"][0] for name, it in properties.items() if it.get("examples")}
            kinds = {name: it["const"] for name, it in properties.items() if "const" in it}
            if shown or kinds:
                yield {**shown, **kinds}
        for it in schema.values():
            yield from examples_of(it)
    elif isinstance(schema, list):
        for it in schema:
            yield from examples_of(it)


def mutated(value: Any, rng: random.Random, parts: list[Any]) -> Any:
    value = copy.deepcopy(value)
    places = list(containers(value))
    for _ in range(rng.randrange(4)):
        holder = rng.choice(places)
        new = copy.deepcopy(rng.choice([*ODD, *parts]))
        if isinstance(holder, dict):
            key = rng.choice([*holder, "unknown", "type", "config", "name"])
            if rng.random() < 0.2:
                holder.pop(key, None)
            else:
                holder[key] = new
        elif holder and rng.random() < 0.8:
            holder[rng.randrange(len(holder))] = new
        else:
            holder.append(new)
    return value


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        yield value
        for it in value.values() if isinstance(value, dict) else value:
            yield from containers(it)


def told(error: Any) -> tuple[Any, ...]:
    known = {"const", "maxLength", "maxProperties"}
    return (
        error.validator,
        error.validator_value,
        error.instance,
        id(error.schema),
        tuple(error.absolute_path),
        error.message if error.validator in known else "",
        sorted([(it.relative_schema_path[0], told(it)) for it in error.context or ()], key=repr),
    )


def assert_same(schema: Any, value: Any) -> None:
    # The library knows nothing of keys without a value.
    schema = {key: it for key, it in schema.items() if key != "x-null-refused"}
    reference = (PlaceholderValidator if schema.get("x-placeholders") else Validator)(schema)
    found = Walker(schema).errors(schema, value)
    # The library looks through additional keys in the order of a set.
    assert sorted(map(told, found), key=repr) == sorted(map(told, reference.iter_errors(value)), key=repr)


@pytest.mark.parametrize("name", NAMES)
def test_no_schema_has_a_keyword_that_is_left_to_the_library(name: str) -> None:
    text = json.dumps(read_schema(name))
    assert not any(f'"{it}":' in text for it in ("dependentRequired", "patternProperties", "uniqueItems"))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_documents(name: str, seed: int) -> None:
    schema, rng = read_schema(name), random.Random(seed)  # noqa: S311  # no secret
    parts = list(examples_of(schema))
    assert_same(schema, mutated(rng.choice([*DOCUMENTS, *parts]), rng, parts))


@pytest.mark.parametrize("name", [it for it in schema_names() if it not in NAMES])
@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_grader_configs(name: str, seed: int) -> None:
    schema, rng = read_schema(name), random.Random(seed)  # noqa: S311  # no secret
    parts = [*examples_of(schema), {}]
    assert_same(schema, mutated(rng.choice(parts), rng, parts))


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"type": "integer"},
        {"type": "number", "minimum": 1, "maximum": 2},
        {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"enum": ["x", 1, True, [1], {}]},
        {"const": True},
        {"const": {"type": "x"}},
        {"minLength": 2, "maxLength": 3, "pattern": "e"},
        {"minItems": 1, "maxItems": 0, "items": {"type": "string"}},
        {"minProperties": 1, "maxProperties": 0, "additionalProperties": {"type": "integer"}},
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
        {"oneOf": [{"type": "string"}, {"enum": ["x"]}, {"type": "object", "required": ["a", "b"]}]},
        {"not": {"type": "string"}},
        {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "array"}},
        {"allOf": [{"type": "string"}, {"minLength": 1}]},
        {"properties": {"type": False}, "additionalProperties": False},
        {"items": True},
        {"x-no-effect": True, "x-move-to": "a", "x-recommended": ["a"], "x-unknown-keys": True},
    ],
)
def test_each_keyword(schema: Any, value: Any) -> None:
    if schema.get("properties") and isinstance(value, dict) and value:
        pytest.skip("the words for what may not stand anywhere are our own")
    assert_same(schema, value)


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"uniqueItems": True}, [1, 1], "[1, 1] has non-unique elements"),
        ({"properties": {"a": {"multipleOf": 2}}}, {"a": 3}, "3 is not a multiple of 2"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, "'ab' is too long"),
    ],
)
def test_keywords_of_plug_ins_are_left_to_the_library(schema: Any, value: Any, message: str) -> None:
    [error] = Walker(schema).errors(schema, value)
    assert error.message == message


def test_a_key_that_is_needed_needs_a_value() -> None:
    schema = {"required": ["a", "b"], "x-tolerated": ["b"], "properties": {"a": {"type": "string"}}}
    found = Walker(schema).errors(schema, {"a": None, "c": None})
    assert [(it.validator, it.absolute_path) for it in found] == [("required", ())] * 2


def test_a_key_that_is_needed_says_so_itself_where_null_is_refused() -> None:
    schema = {"required": ["a", "b"], "x-tolerated": ["b"], "properties": {"a": {"type": "string"}}}
    strict = {**schema, "x-null-refused": True}
    found = Walker(strict).errors(strict, {"a": None, "b": None, "c": None})
    assert [(it.validator, tuple(it.absolute_path)) for it in found] == [("x-no-value", ("a",))]
