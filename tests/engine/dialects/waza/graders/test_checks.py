"""What the static checks of the deterministic graders find, and that each page's and rule's example is true."""

import importlib
from typing import Any

import pytest
import yaml

from waza_engine.graders.base import Scope
from waza_engine.graders.registry import graders
from waza_engine.grading.grade import build
from waza_engine.model.findings import Finding

_TYPES = ["text", "file", "diff", "json_schema", "behavior", "action_sequence", "skill_invocation"]
_TYPES += ["tool_constraint", "tool_calls", "trigger"]
_RULES = [
    "contradictory_checks",
    "escaping_path",
    "trivial_check",
    "invalid_json_schema",
    "missing_companion",
]
_RULES += ["blank_tool_name", "ignored_option", "invalid_regex", "cannot_fail"]


def found(kind: str, config: dict[str, Any]) -> list[Finding]:
    grader = graders("waza")[kind].model_validate(config)
    return [*grader.refusals(Scope()), *grader.check(Scope())]


def codes(kind: str, config: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(it.code, it.pointer) for it in found(kind, config)]


@pytest.mark.parametrize(
    ("kind", "config", "expected"),
    [
        ("text", {}, [("cannot-fail", ())]),
        ("text", {"contains": ["a", ""]}, [("trivial-check", ("contains", 1))]),
        (
            "text",
            {"regex_match": [".*", r"\w+", "[a-z]{9}"]},
            [("trivial-check", ("regex_match", 0)), ("trivial-check", ("regex_match", 1))],
        ),
        ("text", {"regex_not_match": ["("]}, [("invalid-regex", ("regex_not_match", 0))]),
        ("text", {"contains": ["a"], "not_contains": ["a"]}, [("contradictory-checks", ("not_contains", 0))]),
        (
            "file",
            {"must_exist": ["/a", "../b", "."]},
            [("escaping-path", ("must_exist", it)) for it in range(3)],
        ),
        (
            "file",
            {"must_exist": ["a"], "must_not_exist": ["a"]},
            [("contradictory-checks", ("must_not_exist", 0))],
        ),
        ("file", {"content_patterns": [{"path": "a"}]}, [("trivial-check", ("content_patterns", 0))]),
        (
            "file",
            {"content_patterns": [{"path": "../a", "must_match": ["", "["]}]},
            [
                ("escaping-path", ("content_patterns", 0, "path")),
                ("trivial-check", ("content_patterns", 0, "must_match", 0)),
                ("invalid-regex", ("content_patterns", 0, "must_match", 1)),
            ],
        ),
        (
            "diff",
            {"expected_files": [{"path": "/a", "contains": ["+ ", "b"]}]},
            [
                ("escaping-path", ("expected_files", 0, "path")),
                ("trivial-check", ("expected_files", 0, "contains", 0)),
            ],
        ),
        ("json_schema", {"schema": {"type": "x"}}, [("invalid-json-schema", ("schema",))]),
        ("json_schema", {"schema": {"$ref": "other.json"}}, []),
        ("json_schema", {"schema": {}, "schema_file": "a.json"}, [("ignored-option", ("schema_file",))]),
        (
            "behavior",
            {"required_tools": ["a"], "forbidden_tools": ["a"]},
            [("contradictory-checks", ("forbidden_tools", 0))],
        ),
        (
            "trigger",
            {"skill_path": "s", "mode": "negative", "threshold": 0},
            [("cannot-fail", ("threshold",))],
        ),
    ],
)
def test_findings(kind: str, config: dict[str, Any], expected: list[tuple[str, Any]]) -> None:
    assert codes(kind, config) == expected


def test_what_only_fails_checks_does_not_forbid_the_run() -> None:
    assert not [it for it in found("text", {"regex_match": ["("]}) if it.refused]
    assert not [it for it in found("json_schema", {"schema": {"type": "x"}}) if it.refused]
    assert not [it for it in found("file", {"must_exist": ["/a"]}) if it.refused]


@pytest.mark.parametrize(
    ("dialect", "kind", "config", "refused", "remarked"),
    [
        (
            "waza",
            "tool_calls",
            {"min_calls": 2, "max_calls": 1, "required_tools": ["a"], "forbidden_tools": ["a"]},
            ["contradictory-checks"],
            ["contradictory-checks"],
        ),
        (
            "waza",
            "tool_constraint",
            {"expect_tools": [{"tool": "(", "path_pattern": r"\\.py$"}]},
            ["invalid-regex"],
            ["non-portable-regex"],
        ),
        (
            "waza",
            "skill_invocation",
            {"required_skills": ["a"], "forbidden_skills": ["a"]},
            ["missing-companion"],
            ["contradictory-checks"],
        ),
        (
            "vally",
            "file-contains",
            {"path": "../a", "value": ""},
            ["escaping-path"],
            ["trivial-check"],
        ),
        ("vally", "diff-contains", {"pattern": "(", "value": "a"}, ["conflicting-keys", "invalid-regex"], []),
        (
            "vally",
            "run-command",
            {"command": "x", "sub_path": "..", "stdout_matches": ".*"},
            ["escaping-path"],
            ["trivial-check"],
        ),
        (
            "vally",
            "tool-calls",
            {"required": ["("], "disallowed": ["\\Aa"]},
            ["invalid-regex"],
            ["non-portable-regex"],
        ),
    ],
)
def test_only_refusals_forbid_the_run(
    dialect: str, kind: str, config: dict[str, Any], refused: list[str], remarked: list[str]
) -> None:
    grader = graders(dialect)[kind].model_validate(config)
    assert [(it.code, it.refused) for it in grader.refusals(Scope())] == [(it, True) for it in refused]
    assert [(it.code, it.refused) for it in grader.check(Scope())] == [(it, False) for it in remarked]


@pytest.mark.parametrize("kind", _TYPES)
def test_the_example_of_the_page_builds_without_a_finding(kind: str) -> None:
    page = graders("waza")[kind].page()
    entry = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    assert entry["type"] == kind
    assert found(kind, entry["config"]) == []
    assert build(entry).type == kind


@pytest.mark.parametrize("kind", _TYPES)
def test_every_option_says_what_it_is_and_has_an_example(kind: str) -> None:
    for name, info in graders("waza")[kind].model_fields.items():
        assert info.description, name
        assert info.description.endswith("."), name
        assert info.examples, name


@pytest.mark.parametrize("name", _RULES)
def test_the_example_of_a_rule_yields_that_rule_and_its_cure_does_not(name: str) -> None:
    page = importlib.import_module(f"waza_engine.rules.{name}").__doc__ or ""
    bad, good = (yaml.safe_load(it.partition("```")[0]) for it in page.split("```yaml\n")[1:])
    assert {it.code for it in found(bad["type"], bad["config"])} == {name.replace("_", "-")}
    assert found(good["type"], good["config"]) == []
