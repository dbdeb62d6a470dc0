"""JSON Schema as waza's validator has it (docs/reference/waza-graders.md, sections 5.5 and 13.9)."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from waza_engine.lib.go.json import JsonError, read_json
from waza_engine.lib.json_schema import SchemaError, UnknownFileError, compile_schema, compiled

_DRAFT4 = "http://json-schema.org/draft-04/schema#"
_DRAFT7 = "http://json-schema.org/draft-07/schema#"
_DRAFT2019 = "https://json-schema.org/draft/2019-09/schema"


def fits(schema: dict[str, Any], value: Any, base: Path | None = None) -> bool:
    return compile_schema(schema, base).error(value) is None


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"multipleOf": 0.01}, [19.99, 5, 1e300], [0.005]),
        ({"multipleOf": 3}, [9, 9.0], [10]),
        ({"type": "integer"}, [1, 1.0, 1e2], [1.5, True, "1"]),
        ({"enum": [1, "a", None]}, [1.0, "a", None], [True, False, "1"]),
        ({"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": [True]}]),
        ({"uniqueItems": True}, [[1, True, "1", [1], {"a": 1}]], [[{"a": 1}, {"a": 1.0}], [[0], [0.0]]]),
        ({"uniqueItems": True}, [[10**400, 10**401, 1], [True, 1]], [[10**400, 10**400], [2**53, 2**53 + 1]]),
        ({"multipleOf": 3}, [3 * 10**5000], [float("inf"), float("nan"), 10**400]),
        # The same numbers are equal for all keywords: they are doubles.
        ({"const": 2**53}, [2**53 + 1, float(2**53)], [2**53 + 2]),
        ({"enum": [10**400]}, [10**400], [1, 10**401]),
        ({"minLength": 2, "maxLength": 2}, ["é😀", 5], ["😀"]),
        ({"pattern": r"^\p{Lu}"}, ["Éa", 1], ["é"]),
        (
            {"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": False},
            [{"x1": None}],
            [{"y": None}],
        ),
        ({"dependencies": {"a": {"required": ["b"]}}}, [{"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
        ({"dependentSchemas": {"a": {"maxProperties": 1}}}, [{"a": 1}], [{"a": 1, "b": 1}]),
        (
            {"prefixItems": [{"type": "string"}], "items": {"type": "null"}},
            [["a", None], []],
            [[None], ["a", 1]],
        ),
        ({"contains": {"const": 1}, "minContains": 0}, [[], [2]], []),
        ({"contains": {"const": 1}, "maxContains": 1}, [[1, 2]], [[1, 1], [2]]),
        ({"minContains": 5}, [[]], []),
        ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, [1, 2.5], [3, 1.5]),
        ({"if": {"type": "string"}, "else": {"minimum": 3}}, ["a", 3], [2]),
        ({"then": False, "else": False}, [1], []),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 3}, [2, "x"], [1, 3]),
        ({"propertyNames": {"maxLength": 1}}, [{"a": 1}], [{"ab": 1}]),
        ({"not": {}}, [], [1]),
        ({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {"minLength": 2}}}, ["ab"], ["a", 12]),
        (
            {"$anchor": "top", "properties": {"a": {"$ref": "#top"}}, "required": ["b"]},
            [{"b": 1}],
            [{"b": 1, "a": {}}],
        ),
        ({"nullable": True, "x-any": {"type": "nope"}}, [1], []),
        ({"format": "date", "contentMediaType": "application/json"}, ["x"], []),
    ],
)
def test_keywords_of_the_default_draft(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    compiled = compile_schema(schema, None)
    assert [it for it in good if compiled.error(it)] == []
    assert [it for it in bad if not compiled.error(it)] == []


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            {
                "unevaluatedProperties": False,
                "allOf": [{"properties": {"a": {}}}],
                "patternProperties": {"^b": {}},
            },
            [{"a": 1, "b1": 2}],
            [{"c": 1}],
        ),
        (
            {
                "unevaluatedProperties": False,
                "anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, True],
            },
            [{"a": 1}, {}],
            [{"a": 2}],
        ),
        (
            {"unevaluatedProperties": False, "not": {"not": {"properties": {"a": {}}}}},
            [{}],
            [{"a": 1}],
        ),
        (
            {
                "unevaluatedProperties": False,
                "if": {"required": ["k"], "properties": {"k": {}}},
                "then": True,
            },
            [{"k": 1}],
            [{"z": 1}],
        ),
        (
            {
                "unevaluatedProperties": {"type": "null"},
                "$ref": "#/$defs/a",
                "$defs": {"a": {"properties": {"a": {}}}},
            },
            [{"a": 1, "b": None}],
            [{"b": 1}],
        ),
        (
            {"unevaluatedItems": False, "prefixItems": [{}], "contains": {"const": 9}},
            [[1, 9]],
            [[1], [1, 2, 9]],
        ),
        ({"unevaluatedItems": False, "items": {}}, [[1, 2]], []),
    ],
)
def test_what_no_keyword_has_evaluated(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    compiled = compile_schema(schema, None)
    assert [it for it in good if compiled.error(it)] == []
    assert [it for it in bad if not compiled.error(it)] == []


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        (
            {"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 3, "exclusiveMaximum": True},
            [2],
            [3],
        ),
        ({"$schema": "http://json-schema.org/draft-04/schema", "type": "integer"}, [1.0], [1.5]),
        (
            {"$schema": "http://json-schema.org/draft-04/schema", "if": False, "const": 1, "contains": False},
            [2, [1]],
            [],
        ),
        (
            {"$schema": "http://json-schema.org/draft-06/schema#", "const": 1, "if": True, "then": False},
            [1],
            [2],
        ),
        (
            {"$schema": _DRAFT7, "items": [{"type": "null"}], "additionalItems": False},
            [[None]],
            [[None, 1], [1]],
        ),
        ({"$schema": _DRAFT7, "$ref": "#/definitions/a", "maximum": 1, "definitions": {"a": True}}, [5], []),
        (
            {"$schema": _DRAFT7, "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": False},
            [{"a": 1}],
            [],
        ),
        ({"$schema": "https://json-schema.org/draft-07/schema", "format": "ipv4"}, ["1.2.3.4"], ["1.2.3"]),
        (
            {"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [True, False]},
            [[1]],
            [[1, 2]],
        ),
        (
            {
                "$schema": "https://json-schema.org/draft/2019-09/schema",
                "$recursiveAnchor": True,
                "properties": {"a": {"$recursiveRef": "#"}},
                "required": ["x"],
            },
            [{"x": 1, "a": {"x": 1}}],
            [{"x": 1, "a": {}}],
        ),
        ({"$schema": "http://json-schema.org/schema#", "prefixItems": [False]}, [[]], [[1]]),
    ],
)
def test_older_drafts(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    compiled = compile_schema(schema, None)
    assert [it for it in good if compiled.error(it)] == []
    assert [it for it in bad if not compiled.error(it)] == []


def test_a_dynamic_reference_goes_to_the_outermost_anchor() -> None:
    tree = {
        "$id": "https://x.test/tree",
        "$dynamicAnchor": "node",
        "properties": {"children": {"items": {"$dynamicRef": "#node"}}},
    }
    strict = {
        "$id": "https://x.test/strict",
        "$dynamicAnchor": "node",
        "$ref": "tree",
        "unevaluatedProperties": False,
        "$defs": {"tree": tree},
    }
    assert fits(strict, {"children": [{"children": []}]})
    assert not fits(strict, {"children": [{"daat": 1}]})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nope"},
        {"minLength": -1},
        {"required": "a"},
        {"items": [{}]},
        {"pattern": "(?=a)"},
        {"properties": {"a": {"pattern": "["}}},
        {"patternProperties": {"(": {}}},
        {"if": {"pattern": "("}},
        {"$ref": "#/nope"},
        {"$ref": "#nope"},
        {"properties": {"a": {"$ref": "#/$defs/nope"}}},
        {"$ref": "https://example.test/x.json"},
        {"$id": "https://example.test/", "$ref": "x.json"},
        {"$schema": "http://example.test/custom"},
        {"$schema": "http://json-schema.org/draft-07/schema#x"},
        {"$schema": "http://json-schema.org/draft-03/schema#"},
        {"$schema": _DRAFT7, "definitions": {"unused": {"pattern": "["}}},
        {"$ref": "#/x-data", "x-data": 5},
        {"$ref": "#/x-data", "x-data": {"type": 5}},
        {"$schema": _DRAFT7, "$ref": "#/$defs/a", "$defs": {"a": {"minLength": "1"}}},
        {"properties": {"a": {"$schema": _DRAFT4, "id": 5}}},
        {"$id": "http://[x"},
        {"properties": {"a": {"$id": "http://[x"}}},
        {"$ref": "http://[x"},
        {"$schema": _DRAFT2019, "$recursiveRef": "x"},
        {"$schema": _DRAFT2019, "$recursiveRef": "http://[x"},
        {"multipleOf": float("inf")},
        {"properties": {"a": {"enum": [1, float("nan")]}}},
    ],
)
def test_what_does_not_compile(schema: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SchemaError):
        compile_schema(schema, tmp_path)


def test_metaschemas_are_known() -> None:
    assert not fits({"$ref": _DRAFT7}, {"type": 5})
    assert fits({"$ref": "https://json-schema.org/draft/2020-12/schema"}, {"type": "string"})


def test_files_start_from_the_base_directory(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "other.json").write_text('{"$defs": {"s": {"type": "string"}}, "$ref": "sub/more.json"}')
    (tmp_path / "sub/more.json").write_text('{"$ref": "../other.json#/$defs/s"}')
    (tmp_path / "old.json").write_text(f'{{"$schema": "{_DRAFT7}", "format": "date"}}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "bad.json").write_text('{"properties": {"a": {"pattern": "["}}}')
    assert not fits({"$ref": "other.json"}, 5, tmp_path)
    assert fits({"$ref": "other.json"}, "a", tmp_path)
    # A file has the draft that it names, whatever the draft of the schema that refers to it.
    assert not fits({"$ref": "old.json"}, "no date", tmp_path)
    assert fits({"$schema": _DRAFT7, "$ref": "other.json#/$defs/s"}, "no date", tmp_path)
    assert fits(
        {"required": ["a"], "properties": {"a": {"$ref": "schema.json#/$defs/b"}}, "$defs": {"b": True}},
        {"a": 1},
        tmp_path,
    )
    for name in ("missing.json", "broken.json", "bad.json", "sub"):
        with pytest.raises(SchemaError):
            compile_schema({"$ref": name}, tmp_path)
    with pytest.raises(UnknownFileError):
        compile_schema({"$ref": "other.json"}, None)


def test_a_check_reads_no_file_outside_its_folder(tmp_path: Path) -> None:
    inside, outside = tmp_path / "work", tmp_path / "other.json"
    inside.mkdir()
    outside.write_text('{"type": "string"}')
    (inside / "near.json").write_text('{"type": "string"}')
    (inside / "link.json").symlink_to(outside)
    assert compile_schema({"$ref": "near.json"}, inside, within=True).error("a") is None
    for name in ("../other.json", outside.as_uri(), str(outside), "link.json", "../missing.json"):
        with pytest.raises(UnknownFileError):
            compile_schema({"$ref": name}, inside, within=True)


def test_endless_references_fail_the_value() -> None:
    assert not fits({"$ref": "#"}, 1)
    assert not fits({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}}, 1)
    assert fits({"properties": {"a": {"$ref": "#"}}}, {"a": {"a": {}}})
    assert fits({"if": {"$ref": "#"}, "properties": {"a": True}, "unevaluatedProperties": False}, {"a": 1})
    assert not fits({"anyOf": [{"$ref": "#", "unevaluatedProperties": False}]}, {"a": 1})


def test_an_error_says_where_and_what_is_wrong() -> None:
    schema = {
        "properties": {
            "type": {"type": ["string", "null"]},
            "const": {"const": 1},
            "most": {"maximum": 3},
            "above": {"exclusiveMinimum": 3},
            "short": {"maxLength": 1},
            "items": {"prefixItems": [{}], "items": False},
            "one": {"oneOf": [{"type": "integer"}, {"minimum": 1}]},
            "forbidden": False,
        },
        "propertyNames": {"pattern": "^[a-z]+$"},
    }
    compiled = compile_schema(schema, None)
    found = {name: compiled.error({name: it}) for name, it in _WRONG.items()}
    assert found == {
        "type": "at '/type': is not of type string or null",
        "const": "at '/const': is not the value of 'const'",
        "most": "at '/most': is not at most 3",
        "above": "at '/above': is not above 3",
        "short": "at '/short': has 2 characters instead of at most 1",
        "items": "at '/items/1': nothing is allowed here",
        "one": "at '/one': 2 of 'oneOf' fit, one must",
        "forbidden": "at '/forbidden': nothing is allowed here",
        "A": "at '/A': does not match '^[a-z]+$'",
    }
    draft4 = {"$schema": _DRAFT4, "minimum": 3, "exclusiveMinimum": True}
    assert compile_schema(draft4, None).error(3) == "at '/': is not above 3"


_WRONG: dict[str, Any] = {
    "type": 1,
    "const": True,
    "most": 4,
    "above": 3,
    "short": "ab",
    "items": [1, 2],
    "one": 1,
    "forbidden": None,
    "A": 1,
}


def _deep(levels: int) -> Any:
    value: Any = "leaf"
    for _ in range(levels):
        value = [value]
    return value


shallow_python = pytest.mark.skipif(
    sys.version_info[:2] == (3, 12),
    reason="Python 3.12 limits the depth of calls through C, and nobody can raise that limit",
)


@pytest.mark.parametrize(
    "levels", [20, pytest.param(400, marks=shallow_python), pytest.param(900, marks=shallow_python)]
)
@pytest.mark.slow
def test_deep_values(levels: int) -> None:
    schema = {"anyOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "string"}]}
    assert fits(schema, _deep(levels))
    assert not fits({**schema, "maxLength": 3}, _deep(levels))


@shallow_python
@pytest.mark.slow
def test_deep_values_and_hostile_texts_at_the_same_time() -> None:
    def grade(text: str) -> str | None:
        try:
            return compile_schema({"items": {"$ref": "#"}}, None).error(read_json(text))
        except JsonError as error:
            return str(error)

    deep, hostile = "[" * 900 + "]" * 900, "[" * 300_000
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(grade, [deep, hostile, hostile, hostile] * 2))
    assert found == [None, *["it is nested too deeply"] * 3] * 2


def test_a_value_that_no_process_can_go_into(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"items": {"$ref": "#"}}
    with pytest.raises(SchemaError, match="nested too deeply"):
        fits(schema, _deep(300_000))
    monkeypatch.setattr(compiled, "_TIMEOUT_SECONDS", 0.01)
    with pytest.raises(SchemaError, match="nested too deeply"):
        fits(schema, _deep(900))


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", ["2024-02-29"], ["2023-02-29", "2024-2-1", "20240101", "2024-01-01T00:00:00Z"]),
        (
            "time",
            ["23:59:60Z", "08:30:06.28+01:30", "15:59:60-08:00"],
            ["08:30", "24:00:00Z", "22:59:60Z", "08:30:06"],
        ),
        (
            "date-time",
            ["1985-04-12T23:20:50.52z", "1990-12-31t15:59:60-08:00"],
            ["1985-04-12 23:20:50Z", "1985-13-01T00:00:00Z"],
        ),
        (
            "duration",
            ["P4Y", "P1Y2M3DT4H5M6S", "PT1M", "P2W"],
            ["P", "PT", "P1", "4Y", "P1D2H", "P1W2D", "P1Y2D"],
        ),
        (
            "email",
            ["a.b@c.test", '"a b"@c.test', "a@[127.0.0.1]", "a@[IPv6:::1]"],
            ["a", ".a@b", "a..b@c", "a@-b", "a b@c"],
        ),
        ("hostname", ["a-b.c", "x" * 63, "1.2"], ["-a", "a_b", "x" * 64, "", "a..b", "é.de"]),
        ("ipv4", ["127.0.0.1"], ["256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4 "]),
        ("ipv6", ["::1", "::ffff:1.2.3.4"], [":::", "1::2::3", "fe80::1%eth0", "12345::"]),
        (
            "uri",
            ["http://a.test/b?c#d", "mailto:a@b", "urn:x:y", "http://a/b c"],
            ["a/b", "//a", "http://a b", ":x", "http://a:b", "http://a/%zz"],
        ),
        ("uri-reference", ["a/b", "", "//h/p", "#x", "http://a"], ["a\\b", ":x", "a:b:c d\x01", "1:2"]),
        ("json-pointer", ["", "/a~1b/~0", "/"], ["a", "/~2", "/~"]),
        (
            "uuid",
            ["2eb8aa08-AA98-11ea-b4aa-73b441d16380"],
            ["2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638g"],
        ),
        ("regex", [r"\pL", "a|b"], ["(?=a)", "["]),
        ("unheard-of", ["anything"], []),
    ],
)
def test_formats_of_old_drafts(name: str, good: list[str], bad: list[str]) -> None:
    compiled = compile_schema({"$schema": _DRAFT7, "format": name}, None)
    assert [it for it in good if compiled.error(it)] == []
    assert [it for it in bad if not compiled.error(it)] == []
    assert compiled.error(5) is None
