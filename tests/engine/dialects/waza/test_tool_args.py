"""Argument matchers (docs/reference/waza-graders.md, section 6)."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.tool_args import ArgumentTest, Matcher
from waza_engine.lib.yaml.scalars import Scalar


def holds(matcher: dict[str, Any], value: Any) -> bool:
    return ArgumentTest({"x": Matcher.model_validate(matcher)}, Path()).passes({"x": value})


@pytest.mark.parametrize(
    ("matcher", "value", "expected"),
    [
        ({"equals": 5}, 5.0, True),
        ({"equals": "5"}, 5, False),
        ({"equals": True}, 1, False),
        ({"equals": {"a": [1, None]}}, {"a": [1.0, None]}, True),
        ({"equals": [1, 2]}, [2, 1], False),
        ({"equals": 9007199254740993}, 9007199254740992, True),
        ({"regex": "^true$"}, True, True),
        ({"regex": r"^\{\"a\":1,\"b\":\[\]\}$"}, {"b": [], "a": 1}, True),
        ({"contains": "\\u003cb\\u003e"}, ["<b>"], True),
        ({"contains": "<b>"}, "<b>", True),
        ({"contains": "é"}, ["é"], True),
        ({"regex": "^1e\\+21$"}, 1e21, True),
        ({"regex": "^0.5$"}, 0.5, True),
        ({"range": {"gte": 1, "lt": 2}}, 1.5, True),
        ({"range": {"gte": 1}}, True, False),
        ({"range": {"gte": 1}}, "1", False),
        ({"range": {"gt": 0}}, None, False),
        ({"json_schema": {"type": "integer"}}, 1.0, True),
        ({"json_schema": {"type": "string", "pattern": r"^\pL+$"}}, "é", True),
    ],
)
def test_a_matcher_and_a_value(matcher: dict[str, Any], value: Any, expected: bool) -> None:
    assert holds(matcher, value) is expected


@pytest.mark.parametrize(
    "matcher", [{"equals": None}, {"regex": ""}, {"contains": "a"}, {"range": {"lt": 1}}]
)
def test_a_missing_argument_fails_every_matcher(matcher: dict[str, Any]) -> None:
    if matcher != {"regex": ""}:
        test = ArgumentTest({"x": Matcher.model_validate(matcher)}, Path())
        assert not test.passes({})
        assert not test.passes({"X": "a"})


@pytest.mark.parametrize(
    "matcher",
    [
        {},
        {"regex": ""},
        {"contains": Scalar("", None)},
        {"range": {}},
        {"range": {"gte": None}},
        {"range": None},
        {"range": {"gte": 1, "more": 2}},
        {"range": {"gte": "1"}},
        {"json_schema": {}},
        {"json_schema": True},
        {"equals": 1, "contains": "1"},
        {"starts_with": "a"},
    ],
)
def test_what_the_loader_refuses(matcher: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Matcher.model_validate(matcher)


def test_texts_of_numbers_are_their_source() -> None:
    assert holds({"contains": Scalar("1.50", 1.5)}, "v1.50")
    assert holds({"equals": Scalar("yes", "yes")}, "yes")
