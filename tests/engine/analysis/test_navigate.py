"""What a schema asks for beside the keys that are there."""

from typing import Any

import pytest

from waza_engine.analysis.schema.navigate import has_key_group, key_groups, required_keys

GRADER: dict[str, Any] = {
    "properties": {"name": {}, "type": {}, "config": {}, "prompt": {}, "prompt_file": {}},
    "required": ["type"],
    "allOf": [
        {
            "if": {"properties": {"type": {"const": "text"}}, "required": ["type"]},
            "then": {"required": ["config", "name"]},
        },
        {"if": {"anyOf": [{"required": ["prompt_file"]}]}, "then": {}, "else": {"required": ["prompt"]}},
    ],
    "anyOf": [{"required": ["name"]}, {"required": ["prompt", "config"]}],
}


@pytest.mark.parametrize(
    ("value", "keys"),
    [
        (None, ["type", "prompt"]),
        ({"type": "text"}, ["name", "type", "config", "prompt"]),
        ({"type": "diff", "prompt_file": "a"}, ["type"]),
    ],
)
def test_required_keys_are_those_of_the_value(value: Any, keys: list[str]) -> None:
    assert required_keys(GRADER, GRADER, value) == keys


def test_one_group_of_keys_is_enough() -> None:
    assert key_groups(GRADER["anyOf"]) == [["name"], ["prompt", "config"]]
    assert has_key_group(GRADER, {"prompt": 1, "config": 2})
    assert not has_key_group(GRADER, {"prompt": 1})
    assert key_groups([{"type": "string"}, {"required": ["a"]}]) == []
    assert has_key_group({}, None)
