"""The `tool_constraint` grader: what the vectors do not say (docs/reference/waza-graders.md, section 5.11)."""

from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.tool_constraint import ToolConstraintGrader
from waza_engine.executors.tool_names import is_same_tool
from waza_engine.graders.base import GraderResult, GradingContext, Scope
from waza_engine.model.trajectory import Session


def graded(calls: list[dict[str, Any]], **config: Any) -> GraderResult:
    session = Session.model_validate({"tool_calls": calls, "tools_used": [it["name"] for it in calls]})
    return ToolConstraintGrader.model_validate(config).grade(GradingContext(session=session))


@pytest.mark.parametrize(
    ("declared", "observed", "same"),
    [
        ("BASH", "bash", True),
        (" bash ", "bash", True),
        ("builtin:bash", "Bash", True),
        ("view", "ReadFile", True),
        ("fileRead", "read", True),
        ("edit", "writefile", True),
        ("runCommand", "bash", True),
        ("web_fetch", "fetch", True),
        ("bash", "bash2", False),
        ("ba.h", "bash", False),
        ("mcp:search", "search", True),
        ("custom:search", "SEARCH", True),
        ("mcp:search", "mcp:search", True),
        ("mcp:search", "custom:search", False),
        ("mcp:bash", "builtin:bash", False),
        ("search", "mcp:search", False),
        ("mcp:view", "read", False),
    ],
)
def test_names_of_one_tool(declared: str, observed: str, same: bool) -> None:
    assert is_same_tool(declared, observed) is same


def test_a_tool_that_is_not_allowed_is_told_once_and_counted_per_call() -> None:
    result = graded([{"name": "rm"}, {"name": "rm"}, {"name": "bash"}], allow_only=[{"tool": "bash"}])
    assert result.details is not None
    assert result.details["allow_only_violations"] == ["rm"]
    assert len(result.details["failures"]) == 1
    assert result.score == pytest.approx(1 / 3)


def test_patterns_and_arguments_narrow_what_is_allowed() -> None:
    calls = [{"name": "bash", "arguments": {"command": "git status"}}]
    assert graded(calls, allow_only=[{"tool": "bash", "command_pattern": "^GIT"}]).passed
    assert not graded(calls, allow_only=[{"tool": "bash", "args": {"command": {"regex": "^GIT"}}}]).passed


def test_a_name_in_allow_only_is_no_pattern() -> None:
    grader = ToolConstraintGrader.model_validate({"allow_only": [{"tool": "["}]})
    assert not list(grader.refusals(Scope()))


def test_an_argument_that_is_no_text_is_as_good_as_missing() -> None:
    calls = [{"name": "bash", "arguments": {"command": 5}}]
    assert graded(calls, expect_tools=[{"tool": "bash", "command_pattern": "^$"}]).passed


@pytest.mark.parametrize("option", ["expect_tools", "reject_tools", "allow_only"])
@pytest.mark.parametrize("spec", [{"tool": "\u3000"}, {"tool": "a", "path_pattern": "(?=a)"}])
def test_what_forbids_the_run(option: str, spec: dict[str, str]) -> None:
    grader = ToolConstraintGrader.model_validate({option: [spec]})
    assert [it.refused for it in grader.refusals(Scope())] == [True]


@pytest.mark.parametrize("config", [{}, {"expect_tools": []}, {"allow_only": None}, {"expect_tools": [None]}])
def test_nothing_configured(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="at least one"):
        ToolConstraintGrader.model_validate(config)


def test_labels_show_the_patterns() -> None:
    result = graded([], expect_tools=[{"tool": " bash ", "command_pattern": "azd"}])
    assert result.details is not None
    assert result.details["expect_tools"] == ["bash (command ~ azd)"]


def test_a_broken_pattern_is_told_as_it_was_written() -> None:
    specs = [{"tool": "("}, {"tool": "a", "command_pattern": "("}, {"tool": "*"}]
    found = ToolConstraintGrader.model_validate({"expect_tools": specs}).refusals(Scope())
    reasons = [it.message.removeprefix("Not a valid RE2 pattern: ") for it in found]
    assert reasons == [
        "missing closing ): `(`",
        "missing closing ): `(`",
        "missing argument to repetition operator: `*`",
    ]
