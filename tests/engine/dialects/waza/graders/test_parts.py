"""Which checks failed, and what was there instead: every pointer leads into the config that was graded."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.graders.base import GradingContext
from waza_engine.graders.excerpts import nearest_line, nearest_to_pattern
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall

OUTPUT = "First line.\nDeployed the app to west-1.\nTraceback: boom\n"
SESSION = Session(
    tool_call_count=2,
    tools_used=["bash", "bash"],
    tool_calls=[ToolCall(name="bash"), ToolCall(name="bash")],
)


def parts(kind: str, workspace: Path | None = None, **config: Any) -> list[tuple[Any, str, str]]:
    context = GradingContext(
        output=OUTPUT, session=SESSION, skills=[SkillInvocation(name="prep")], workspace_dir=workspace
    )
    verdict = grade_entry({"type": kind, "name": "one", "config": config}, context)
    assert isinstance(verdict, GraderVerdict), verdict
    found = verdict.result.parts
    for it in found:
        value: Any = config
        for key in it.pointer:
            value = value[key]
    return [(it.pointer, it.message, it.found) for it in found]


def test_texts_say_what_is_there_instead() -> None:
    assert parts("text", contains=["first", "deployed the web app"], not_contains=["BOOM"]) == [
        (
            ("contains", 1),
            '"deployed the web app" not found in the output',
            "line 2: 'Deployed the app to west-1.'",
        ),
        (("not_contains", 0), '"BOOM" found in the output', "line 3: 'Traceback: boom'"),
    ]


def test_patterns_say_what_they_matched_or_why_they_are_none() -> None:
    assert parts("text", regex_match=["^x", "[a"], regex_not_match=[r"west-\d"]) == [
        (("regex_match", 0), 'no match for "^x" in the output', "starts with: 'First line. Deployed the app to west-1. Traceback: boom'"),
        (("regex_match", 1), 'no match for "[a" in the output', "not a valid RE2 pattern: missing closing ]: `[a`"),
        (("regex_not_match", 0), r'unwanted match for "west-\d" in the output', "line 2: 'Deployed the app to west-1.'"),
    ]  # fmt: skip


def test_files_point_at_the_path_or_the_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    entry = {"path": "a.txt", "must_match": ["two", "three"], "must_not_match": ["one"]}
    found = parts("file", tmp_path, must_exist=["a.txt", "b.txt"], content_patterns=[entry])
    assert [(pointer, message) for pointer, message, _ in found] == [
        (("must_exist", 1), '"b.txt" does not exist'),
        (("content_patterns", 0, "must_match", 1), 'a.txt: no match for "three"'),
        (("content_patterns", 0, "must_not_match", 0), 'a.txt: unwanted match for "one"'),
    ]


@pytest.mark.parametrize(
    ("kind", "config", "pointer", "found"),
    [
        ("behavior", {"max_tool_calls": 1}, ("max_tool_calls",), "used: bash (2 times)"),
        ("behavior", {"required_tools": ["bash", "edit"]}, ("required_tools", 1), "used: bash (2 times)"),
        ("tool_calls", {"max_calls": 1}, ("max_calls",), "used: bash (2 times)"),
        ("tool_calls", {"expect": [{"tool": "view"}]}, ("expect", 0), "used: bash (2 times)"),
        (
            "tool_constraint",
            {"reject_tools": [{"tool": "view"}, {"tool": "bash"}]},
            ("reject_tools", 1),
            "call 1: 'bash' and 1 more",
        ),
        (
            "action_sequence",
            {"matching_mode": "exact_match", "expected_actions": ["bash"]},
            ("expected_actions",),
            "actual calls: 'bash, bash'",
        ),
        (
            "skill_invocation",
            {"required_skills": ["deploy"], "mode": "any_order"},
            ("required_skills",),
            "used: prep",
        ),
        ("code", {"assertions": ["True", "output == ''"]}, ("assertions", 1), "it is not true"),
    ],
)
def test_other_graders_point_at_their_options(
    kind: str, config: dict[str, Any], pointer: tuple[Any, ...], found: str
) -> None:
    [(place, message, seen)] = parts(kind, **config)
    assert (place, seen) == (pointer, found)
    assert message


def test_what_passes_has_no_parts() -> None:
    assert parts("text", contains=["first"]) == []


def test_a_long_line_is_cut_around_what_was_found() -> None:
    context = GradingContext(output="x" * 5000 + "boom" + "y" * 5000)
    verdict = grade_entry({"type": "text", "name": "n", "config": {"not_contains": ["boom"]}}, context)
    assert isinstance(verdict, GraderVerdict)
    [part] = verdict.result.parts
    assert "boom" in part.found
    assert len(part.found) < 120
    assert json.dumps(part.found)


def test_the_nearest_line_is_one_with_the_same_words_in_another_form() -> None:
    text = "Intro.\nThe delay doubles each time.\nIt is raised again.\n"
    assert (
        nearest_to_pattern(r"(?i)the delay tripl(es|ed)\b", text) == "line 2: 'The delay doubles each time.'"
    )
    assert nearest_line("doubled", text) == "line 2: 'The delay doubles each time.'"
    # What stands in classes and escapes is no word.
    assert nearest_to_pattern(r"[a-z]+\bdelay", text) == "line 2: 'The delay doubles each time.'"
    assert nearest_to_pattern(r"^\d{3}$", text).startswith("starts with: ")


def test_a_failed_check_brings_the_lines_around_its_place() -> None:
    context = GradingContext(output=OUTPUT)
    verdict = grade_entry(
        {"type": "text", "name": "one", "config": {"regex_match": ["Deployed .* east"]}}, context
    )
    assert isinstance(verdict, GraderVerdict)
    [part] = verdict.result.parts
    assert part.found == "line 2: 'Deployed the app to west-1.'"
    assert type(part.found) is str
    assert part.excerpt == "1  First line.\n2  Deployed the app to west-1.\n3  Traceback: boom"
