"""Findings of vally's grader types on their config."""

from typing import Any

import pytest

from waza_engine.analysis.grader_entries import check_entry, check_raw
from waza_engine.graders.registry import graders
from waza_engine.model.findings import Finding, Scope
from waza_engine.rules.refused_config import REFUSED_CONFIG


def _findings(type_name: str, **config: Any) -> list[Finding]:
    entry = {"type": type_name, "config": config}
    written = check_raw("vally", entry)
    # `refusals` run only if there are no other findings.
    by_type = [
        it for it in check_entry("vally", entry, Scope()) if it.rule is not REFUSED_CONFIG or not written
    ]
    return [*by_type, *written]


@pytest.mark.parametrize(
    ("type_name", "config", "code", "pointer"),
    [
        ("output-matches", {"pattern": "(?=a"}, "invalid-regex", ("pattern",)),
        ("output-matches", {"pattern": "\\Aa"}, "non-portable-regex", ("pattern",)),
        ("output-matches", {"pattern": "(?i:a)b"}, "non-portable-regex", ("pattern",)),
        ("output-matches", {"pattern": ".*"}, "trivial-check", ("pattern",)),
        ("output-contains", {"substring": ""}, "trivial-check", ("substring",)),
        ("output-contains", {"substring": 404}, "wrong-type", ("substring",)),
        ("output-contains", {"substring": "a", "negate": "yes"}, "wrong-type", ("negate",)),
        ("file-exists", {"path": "/etc/hosts"}, "escaping-path", ("path",)),
        ("file-exists", {"path": "a/../../b"}, "escaping-path", ("path",)),
        ("file-not-exists", {"path": "dist/"}, "trivial-check", ("path",)),
        ("file-contains", {"path": "a", "value": ""}, "trivial-check", ("value",)),
        ("file-matches", {"path": "a", "pattern": "["}, "invalid-regex", ("pattern",)),
        ("diff-contains", {"pattern": "("}, "invalid-regex", ("pattern",)),
        ("run-command", {"command": "x", "stdout_matches": "("}, "invalid-regex", ("stdout_matches",)),
        ("run-command", {"command": "x", "sub_path": ".."}, "escaping-path", ("sub_path",)),
        ("run-command", {"command": "x", "env": {"PORT": 80}}, "wrong-type", ("env", "PORT")),
        ("run-command", {"command": "cd app && go test ./..."}, "exit-code-only", ("command",)),
        ("run-command", {"command": "node", "args": ["--test"]}, "exit-code-only", ("command",)),
        (
            "program",
            {"program": "x", "env": {"Evaluate_Workspace": "y"}},
            "conflicting-keys",
            ("env", "Evaluate_Workspace"),
        ),
        (
            "skill-invocation",
            {"required": ["a"], "disallowed": ["b", "a"]},
            "contradictory-checks",
            ("disallowed", 1),
        ),
        ("tool-calls", {"required": ["a"], "disallowed": ["a"]}, "contradictory-checks", ("disallowed", 0)),
        ("tool-calls", {"required": ["("]}, "invalid-regex", ("required", 0)),
        (
            "tool-calls",
            {"required": [{"name": "a", "args": {"b": "("}}]},
            "invalid-regex",
            ("required", 0, "args", "b"),
        ),
        (
            "tool-calls",
            {"required": [{"name": "a", "result": "("}]},
            "invalid-regex",
            ("required", 0, "result"),
        ),
        (
            "tool-calls",
            {"required": [{"name": "a", "at_step": 3, "before_step": 3}]},
            "contradictory-checks",
            ("required", 0, "at_step"),
        ),
        (
            "tool-calls",
            {"required": [{"name": "a", "final": True, "min_count": 2}]},
            "contradictory-checks",
            ("required", 0, "min_count"),
        ),
        ("tool-calls", {"disallowed": [7]}, "wrong-type", ("disallowed", 0)),
        ("prompt", {"rubric": ["a"]}, "never-applied", ("rubric",)),
        ("panel", {"models": ["a"]}, "panel-of-one", ("models",)),
    ],
)
def test_a_mistake_is_reported_at_its_location(
    type_name: str, config: dict[str, Any], code: str, pointer: tuple[str | int, ...]
) -> None:
    (finding,) = _findings(type_name, **config)
    assert (finding.code, finding.pointer) == (code, ("config", *pointer))


@pytest.mark.parametrize(
    ("type_name", "config"),
    [
        ("output-matches", {"pattern": "(${WORD}"}),
        ("file-exists", {"path": "/${ROOT}/a"}),
        ("run-command", {"command": "x", "sub_path": "${DIR=../x}"}),
        ("run-command", {"command": "x", "sub_path": "."}),
        ("run-command", {"command": "go test ./...", "stdout_contains": "ok"}),
        ("run-command", {"command": "npm test"}),
        ("run-command", {"command": "python3", "args": ["-m", "pytest"]}),
        ("run-command", {"command": "npm run build && cat latest.txt"}),
        ("output-contains", {"substring": "${EMPTY=}"}),
        ("tool-calls", {"required": [{"name": "a"}], "disallowed": [{"name": "a", "command": "rm"}]}),
    ],
)
def test_valid_or_unresolved_values_have_no_finding(type_name: str, config: dict[str, Any]) -> None:
    assert _findings(type_name, **config) == []


def test_a_pattern_finding_has_a_range_inside_the_pattern() -> None:
    (finding,) = _findings("output-matches", pattern="abc(?P<n>d)")
    assert finding.part == (3, 4)
    (fix,) = finding.fixes
    assert fix.changes[0].value == "abc(?<n>d)"  # type: ignore[union-attr]  # it sets a value


def test_an_anchor_of_another_language_has_a_fix() -> None:
    (finding,) = _findings("output-matches", pattern=r"done\z")
    assert finding.fixes[0].changes[0].value == "done$"  # type: ignore[union-attr]  # it sets a value
    assert finding.part == (4, 6)


def test_a_number_has_a_fix_that_quotes_it() -> None:
    (finding,) = _findings("file-contains", path="a", value=8080)
    assert finding.fixes[0].changes[0].value == "8080"  # type: ignore[union-attr]  # it sets a value


def test_the_taxonomy_equals_that_of_the_reference() -> None:
    kinds: dict[str, Any] = graders("vally")
    assert {it.determinism for it in kinds.values()} == {"static", "complex-static", "llm"}
    assert [name for name, it in kinds.items() if it.determinism == "complex-static"] == ["run-command"]
    assert {name for name, it in kinds.items() if it.requires_llm_client} == {"prompt", "panel", "pairwise"}
    assert {name for name, it in kinds.items() if it.asks_judge} == {"prompt", "panel", "pairwise"}
    assert {name for name, it in kinds.items() if it.executes} == {"run-command", "program"}
    assert [name for name, it in kinds.items() if it.outdated] == ["pairwise"]
    free = {name for name, it in kinds.items() if it.cost_profile == "free"}
    assert free >= {
        "completed",
        "exit-success",
        "token-budget",
        "wall-time",
        "skill-invocation",
        "output-matches",
    }
    assert {name for name, it in kinds.items() if it.temporal_scope == "cross-trajectory"} == {"pairwise"}


def test_a_pattern_and_a_text_for_a_diff_exclude_each_other() -> None:
    (finding,) = _findings("diff-contains", pattern="a", value="b")
    assert (finding.code, finding.pointer) == ("conflicting-keys", ("config", "value"))
