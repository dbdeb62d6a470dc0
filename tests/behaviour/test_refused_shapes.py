"""Old forms: forms that no run accepts any more say so; accepted ones are not errors."""

from pathlib import Path

import pytest

from tests.behaviour.as_runs_harness import errors, is_refused
from tests.behaviour.fixes_harness import check_fix
from tests.behaviour.rules_harness import EVAL, TASK, findings_at, write

GRADER = "graders:\n  - {{type: {}, name: a, config: {{{}}}}}\n"
TOOLS = "graders:\n  - type: tool_constraint\n    name: a\n    config:\n"


@pytest.mark.parametrize(
    ("type_name", "config", "underlined"),
    [
        ("tool_constraint", "max_turns: 3", None),
        ("tool_constraint", "expect_tools: [bash]", None),
        ("tool_constraint", "expect_tools: [bash], reject_tools: [rm], max_tokens: 9", None),
        ("tool_constraint", "reject_tools: [{tool: rm}], max_tokens: 9", "max_tokens"),
        ("tool_constraint", "expect_tools: [bash, {tool: rm}]", "bash"),
        ("tool_calls", "required: [{pattern: azd}]", "required"),
        ("prompt", "prompt: x, threshold: 0.5", "threshold"),
        ("prompt", "prompt: x, score_type: raw", "score_type"),
        ("prompt", "prompt: x, response_format: json", "response_format"),
        ("prompt", "prompt: x, score_type: ''", "score_type"),
        ("tool_constraint", "expect_tools: [{tool: bash}]", None),
        ("regex", "must_match: [a]", None),
        ("keyword", "must_contain: [a]", None),
    ],
)
def test_a_form_that_no_run_takes_says_so(
    type_name: str, config: str, underlined: str | None, tmp_path: Path
) -> None:
    write(tmp_path, {"eval.yaml": EVAL + GRADER.format(type_name, config), "tasks/a.yaml": TASK})
    assert _refused(tmp_path, "eval.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


def _refused(folder: Path, name: str) -> list[str]:
    errors_ = [it for it in findings_at(folder / name, folder) if it.severity == "error"]
    assert {it.code for it in errors_} <= {"legacy-shape"}
    assert all("runs refuse" in it.message.lower() for it in errors_)
    return [it.underlined for it in errors_]


@pytest.mark.parametrize(
    ("entry", "underlined"),
    [
        ("{type: code, name: c, assertions: ['True']}", "assertions"),
        ("{type: code, name: c, assertions: ['1'], config: {assertions: ['len(output) > 1']}}", None),
        ("{type: prompt, name: c, rubric: x, config: {prompt: x}}", None),
    ],
)
def test_required_keys_of_a_type_beside_it_have_no_effect(
    entry: str, underlined: str | None, tmp_path: Path
) -> None:
    write(tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": f"{TASK}graders:\n  - {entry}\n"})
    assert _refused(tmp_path, "tasks/a.yaml") == ([] if underlined is None else [underlined])
    assert is_refused(tmp_path) is (underlined is not None)


def test_plain_names_become_patterns_that_find_these_names() -> None:
    plain = "      expect_tools: [c++_bu¦ild, a.b, Bash, bash]\n"
    mapped = "[{tool: ^c\\+\\+_build$}, {tool: ^a\\.b$}, {tool: (?-i:^Bash$)}, {tool: ^bash$}]"
    check_fix(EVAL + TOOLS + plain, f"{EVAL}{TOOLS}      expect_tools: {mapped}\n")


def test_a_limit_of_tokens_moves_to_the_grader_that_has_it() -> None:
    rejected = "      reject_tools: [{tool: rm}]\n"
    behavior = "  - type: behavior\n    name: at-most-9-tokens\n    config:\n      max_tokens: 9\n"
    check_fix(EVAL + TOOLS + rejected + "      max_to¦kens: 9\n", EVAL + TOOLS + rejected + behavior)


def test_a_limit_of_turns_can_only_go() -> None:
    rejected = "      reject_tools: [{tool: rm}]\n"
    check_fix(EVAL + TOOLS + rejected + "      max_t¦urns: 9\n", EVAL + TOOLS + rejected)


@pytest.mark.parametrize(
    ("type_name", "is_wrong"),
    [("prompt, config: {prompt: a}", True), ("text, config: {contains: [a]}", False)],
)
def test_some_types_need_a_name(type_name: str, is_wrong: bool, tmp_path: Path) -> None:
    grader = "graders:\n  - {name: '', type: " + type_name + "}\n"
    write(tmp_path, {"eval.yaml": EVAL + grader, "tasks/a.yaml": TASK})
    assert errors(tmp_path, "eval.yaml") == (["''"] if is_wrong else [])


@pytest.mark.parametrize(
    ("mode", "is_wrong"),
    [("Positive", False), ("'Positive '", False), ("NEGATIVE", False), ("posit", True), ("''", True)],
)
def test_the_case_of_a_word_matters_where_it_does_to_a_run(mode: str, is_wrong: bool, tmp_path: Path) -> None:
    grader = "graders:\n  - {type: trigger, name: t, config: {skill_path: skills/a, mode: " + mode + "}}\n"
    write(tmp_path, {"eval.yaml": EVAL + grader, "tasks/a.yaml": TASK, "skills/a/SKILL.md": "# A\n"})
    assert errors(tmp_path, "eval.yaml") == ([mode] if is_wrong else [])
