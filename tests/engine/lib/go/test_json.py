"""JSON is read and written as Go does (docs/reference/waza-graders.md, sections 4.4 and 6)."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from waza_engine.lib.go.json import JsonError, extract_json, go_json, json_equal, read_json


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "NaN",
        "[Infinity]",
        "-Infinity",
        "1e400",
        "9" * 400,
        "[1,]",
        "{} x",
        "\ufeff{}",
        '"a\nb"',
        "nul",
        "+1",
        ".5",
        "0x10",
        "'a'",
        "{a:1}",
        "\xa01",
        "[1]\x0b",
        "[" * 10_001 + "]" * 10_001,
    ],
)
def test_what_go_refuses(text: str) -> None:
    with pytest.raises(JsonError):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" \t\r\n1 ", 1),
        ('{"a":1,"a":2}', {"a": 2}),
        ('"\\ud800x"', "\ufffdx"),
        ('{"\\udc00": 1}', {"\ufffd": 1}),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        ("9007199254740993", 9007199254740992),
        ("1e-400", 0.0),
        ("-0.0", 0.0),
        ("1.50", 1.5),
    ],
)
def test_what_go_reads(text: str, value: Any) -> None:
    assert read_json(text) == value


@pytest.mark.parametrize("levels", [10_001, 300_000])
def test_too_deep_nesting_is_an_error(levels: int) -> None:
    for text in ("[" * levels + "]" * levels, '{"a":' * levels + "1" + "}" * levels):
        with pytest.raises(JsonError, match="nested too deeply"):
            read_json(text)
    with pytest.raises(JsonError):
        read_json("[" * levels)


def test_only_brackets_of_the_same_branch_are_nested() -> None:
    levels = 10_001
    assert read_json(json.dumps(["[{" * levels, '"[' * levels])) == ["[{" * levels, '"[' * levels]
    assert read_json(f"[{'[],{},' * levels}0]")[-1] == 0


def _nested(text: str) -> Any:
    """Return the value of `text` when it is read inside 500 arrays."""
    value = read_json("[" * 500 + text + "]" * 500)
    for _ in range(500):
        (value,) = value
    return value


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": [1, 2.50, -0e1]}, "a": []}',
        "{ }",
        '{"a" : null ,"b":[ ] }\n',
        '"\\ud800x\\"],["',
        '" [{:,"',
        "1e-400",
        '{"\\udc00": [true, false]}',
        '"\\ud83d\\ude00"',
        '"\\\\ud800"',
        '"\\ud83d\\ud83d\\ude00\\uD83D\\u0041"',
        "{}",
        "\t0\r\n",
        '"é"',
        '{"":{"":""}}',
    ],
)
def test_a_nested_value_is_read_like_any_other(text: str) -> None:
    assert _nested(text) == read_json(text)


def test_only_lone_surrogates_are_replaced() -> None:
    assert read_json('"\\\\ud800"') == "\\ud800"
    assert read_json('"\\\\\\ud800"') == "\\\ufffd"
    assert read_json('"\\ud83d\\ud83d\\ude00\\uD83D\\u0041\ud800"') == "\ufffd\U0001f600\ufffdA\ufffd"


@pytest.mark.parametrize(
    "text",
    [
        "[1,]",
        "{,}",
        '{"a"}',
        '{"a":}',
        '{"a":1,}',
        "{1:2}",
        "[1 2]",
        '{"a" 1}',
        '{"a":1 "b":2}',
        "1,",
        ",1",
        "]",
        "}",
        '"',
        "[:]",
        "nan",
        "NaN",
        "1e400",
        "01",
        '"\n"',
        '"\\x"',
        "'a'",
        "/**/1",
        "tru",
        "[}",
        "{]",
        '"a"b',
        '{"a":1]',
        '{"a":[}]',
        "\u00a01",
    ],
)
def test_invalid_json_is_an_error_at_any_depth(text: str) -> None:
    with pytest.raises(JsonError):
        read_json(text)
    with pytest.raises(JsonError):
        _nested(text)


@pytest.mark.parametrize("end", ["", "]" * 499, "]" * 501, "]" * 500 + "1", "}" * 500])
def test_wrong_ends_of_a_nested_text(end: str) -> None:
    with pytest.raises(JsonError):
        read_json("[" * 500 + end)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ("1", 1, False),
        ([1, [2.0]], [1.0, [2]], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([], {}, False),
    ],
)
def test_equality(left: Any, right: Any, same: bool) -> None:
    assert json_equal(left, right) is same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [None, True]}, '{"a":[null,true],"b":1}'),
        ("<&>\u2028\t\x01é", '"\\u003c\\u0026\\u003e\\u2028\\t\\u0001é"'),
        (5.0, "5"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (0.000001, "0.000001"),
        (0.0000001, "1e-7"),
        (1.5e-10, "1.5e-10"),
        (-0.0, "-0"),
    ],
)
def test_compact_text(value: Any, text: str) -> None:
    assert go_json(value) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ('a ``` \n{"x":1}\n``` b', {"x": 1}),
        ("```json\r\n[1]\r\n```", [1]),
        ("```yaml\n[2]\n```\n```\n[1]\n```", [1]),
        ("```json\nnope\n```\n```json\n[1]\n```", [1]),
        ("```json\n[1]", [1]),
        ('say {no} and [1, {"a": [2]}] then', [1, {"a": [2]}]),
        ("{{1}} [[3]]", [[3]]),
    ],
)
def test_the_only_value_in_a_text(text: str, value: Any) -> None:
    assert extract_json(text) == value


@pytest.mark.parametrize("text", ["", "no", "[1] [2]", "```\n1\n```\n```\n2\n```", "5 apples"])
def test_no_value_or_several(text: str) -> None:
    with pytest.raises(JsonError):
        extract_json(text)


def test_a_deep_value_inside_a_text() -> None:
    value = extract_json('x {"a":' + "[" * 500 + "]" * 500 + "} y")
    assert list(value) == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 300_000, marks=pytest.mark.slow),
        pytest.param("[1," * 30_000, marks=pytest.mark.slow),
        pytest.param('{"a":' * 30_000, marks=pytest.mark.slow),
        "[" * 9_000 + "]" * 8_000,
        "x " + "[" * 20_000 + "]" * 20_000,
        "[" * 30_000 + "]" * 15_000,
        "[" * 900 + "1," * 150_000 + "x",
        "[" * 900 + "1," * 150_000 + "NaN",
        ("[" * 900 + '"') * 300,
        "[" * 2_000 + '"' + '\\"' * 100_000,
    ],
)
def test_brackets_are_searched_in_bounded_time(text: str) -> None:
    begin = time.process_time()
    with suppress(JsonError):
        extract_json(text)
    assert time.process_time() - begin < 10


def test_no_value_inside_of_too_deep_nesting_counts() -> None:
    too_deep = "x " + "[" * 10_001 + "]" * 10_001
    with pytest.raises(JsonError):
        extract_json(too_deep)
    assert extract_json(f"{too_deep} and [1]") == [1]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, [2], 3", [2]),
        ('{"a": {"b": [3]}, nope', {"b": [3]}),
        ('["is [4] not', [4]),
        ('[1, "[", [5]', [5]),
        ("[6, {] [7]", [7]),
        ("[[[8]", [8]),
        ("[NaN, [9]", [9]),
        ("[[2], NaNx] ", [2]),
        ("[1e400] {} 1e400", {}),
        ("[" * 2_000 + "[8]", [8]),
    ],
)
def test_a_value_inside_an_incomplete_one(text: str, value: Any) -> None:
    assert extract_json(text) == value
