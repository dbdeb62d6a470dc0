"""The examples in messages about values of the wrong shape."""

import re
from typing import Any

import pytest
import yaml

from waza_engine.analysis.schema.checker import SchemaChecker
from waza_engine.analysis.schema.files import read_schema, schema_names

_EXAMPLE = re.compile(r", for example `(.*)`, found ")


def _examples(name: str, data: Any) -> list[str]:
    found = SchemaChecker(read_schema(name)).check(data)
    return [it for finding in found for it in _EXAMPLE.findall(finding.message)]


@pytest.mark.parametrize(
    ("name", "data", "example"),
    [
        ("triggers", {"should_trigger_prompts": ["hi"]}, "- prompt: Take notes of this meeting"),
        ("eval", {"config": "fast"}, "trials_per_task: 3"),
        ("eval", {"metrics": [3]}, "- name: trigger_accuracy"),
        ("eval", {"graders": ["hello"]}, "- type: text"),
        ("eval", {"graders": [{"type": "tool_calls", "config": []}]}, "required_tools: [bash]"),
        ("eval", {"tasks": {"a": 1}}, "[tasks/*.yaml]"),
        ("task", {"inputs": ["hi"]}, "prompt: Summarize notes.txt in one sentence."),
        ("vally/eval", {"stimuli": ["hi"]}, "- name: explains-the-error"),
        ("vally/eval", {"stimuli": [{"graders": ["completed"]}]}, "- type: output-contains"),
        ("vally/eval", {"defaults": 3}, "runs: 3"),
        ("vally/project", {"environments": {"a": []}}, "skills: [../skills/deploy]"),
    ],
)
def test_a_mapping_or_a_list(name: str, data: Any, example: str) -> None:
    assert _examples(name, data) == [example]


@pytest.mark.parametrize(
    "data",
    [
        {"tasks": "tasks/*.yaml"},  # The safe fix shows the list.
        {"tasks": [3]},  # A string would do.
        {"description": ["a", "b"]},
    ],
)
def test_no_example_is_needed(data: Any) -> None:
    assert _examples("eval", data) == []


def test_all_examples_are_short_yaml_of_the_shape() -> None:
    shown = {it for name in schema_names() for it in _of_all_members(name)}
    assert len(shown) > 50
    assert {type(yaml.safe_load(it)) for it in shown} == {dict, list}
    assert max(map(len, shown)) <= 60


def _of_all_members(name: str) -> list[str]:
    schema = read_schema(name)
    checker = SchemaChecker(schema)
    parts = (schema, *schema.get("$defs", {}).values())
    members = [it for part in parts for it in part.get("properties", {}).values()]
    found = [
        finding for it in members for value in (0.5, {"?": 1}) for finding in checker.check_part(value, it)
    ]
    return [it for finding in found for it in _EXAMPLE.findall(finding.message)]
