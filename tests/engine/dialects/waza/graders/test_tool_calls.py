"""The `tool_calls` grader: what the vectors do not say (docs/reference/waza-graders.md, section 5.12)."""

from typing import Any

import pytest
from pydantic import ValidationError

from waza_engine.dialects.waza.graders.tool_calls import ToolCallsGrader
from waza_engine.graders.base import GraderResult, GradingContext, Scope
from waza_engine.model.trajectory import Session, ToolEvent

_CALLS = [
    {"id": "c1", "name": "bash", "arguments": {"command": "ls", "path": ""}},
    {"id": "c2", "name": "search", "arguments": {}},
]


def graded(events: list[dict[str, Any]], **config: Any) -> GraderResult:
    context = GradingContext(
        session=Session.model_validate({"tool_calls": _CALLS}),
        tool_events=[ToolEvent.model_validate(it) for it in events],
    )
    return ToolCallsGrader.model_validate(config).grade(context)


def expectation(result: GraderResult) -> Any:
    assert result.details is not None
    return result.details["expect"][0]


def test_events_of_the_tool_decide_alone() -> None:
    expected = {"tool": "bash", "args": {"command": {"equals": "ls"}}}
    assert graded([], expect=[expected]).passed
    assert not graded([{"tool_name": "bash", "args": {"command": "rm"}}], expect=[expected]).passed
    # Events of other tools leave the decision to the digest.
    assert graded([{"tool_name": "edit", "args": {"command": "rm"}}], expect=[expected]).passed


def test_arguments_that_are_no_mapping_match_nothing() -> None:
    expected = {"tool": "bash", "args": {"command": {"contains": "l"}}}
    for arguments in ("ls", ["ls"], None, 5):
        assert not graded([{"tool_name": "bash", "args": arguments}], expect=[expected]).passed


def test_without_arguments_events_play_no_role() -> None:
    assert not graded([{"tool_name": "edit"}], expect=[{"tool": "edit"}]).passed


def test_an_empty_argument_of_the_digest_is_missing() -> None:
    assert not graded([], expect=[{"tool": "bash", "args": {"path": {"equals": ""}}}]).passed


def test_all_matchers_hold_for_the_same_call() -> None:
    events = [
        {"tool_name": "s", "args": {"a": 1, "b": 2}},
        {"tool_name": "s", "args": {"a": 2, "b": 1}},
    ]
    assert not graded(events, expect=[{"tool": "s", "args": {"a": {"equals": 1}, "b": {"equals": 1}}}]).passed
    assert graded(events, expect=[{"tool": "s", "args": {"a": {"equals": 2}, "b": {"equals": 1}}}]).passed


def test_the_details_say_which_call_it_was() -> None:
    found = expectation(
        graded(
            [{"tool_name": "x"}, {"tool_name": "search", "tool_call_id": "c2", "args": {"q": "a"}}],
            expect=[{"tool": "search", "args": {"q": {"contains": "a"}}}],
        )
    )
    assert found["matched_call_index"] == 1
    assert found["matched_call_id"] == "c2"
    assert found["matched_tool_event_index"] == 1
    assert expectation(graded([], expect=[{"tool": "BASH"}])) == {
        "tool": "BASH",
        "matched_call_index": 0,
        "matched_call_id": "c1",
    }
    assert "reason" in expectation(graded([], expect=[{"tool": "nope"}]))


def test_the_type_of_the_result_is_empty() -> None:
    assert graded([], min_calls=0).type_name == ""
    assert ToolCallsGrader.model_validate({"max_calls": 0}).grade(GradingContext()).type_name == ""


@pytest.mark.parametrize(
    "config", [{"max_calls": None}, {"expect": [], "required_tools": [None]}, {"max_calls": -1}]
)
def test_what_cannot_be_built(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ToolCallsGrader.model_validate(config)


def test_a_lower_limit_above_the_upper_one_forbids_the_run() -> None:
    grader = ToolCallsGrader.model_validate({"min_calls": 2, "max_calls": 1})
    assert [(it.code, it.refused) for it in grader.refusals(Scope())] == [("contradictory-checks", True)]


def test_a_matcher_with_a_bad_schema_forbids_the_run() -> None:
    expect = [{"tool": "a", "args": {"x": {"json_schema": {"type": "nope"}}, "y": {"regex": "("}}}]
    findings = list(ToolCallsGrader.model_validate({"expect": expect}).refusals(Scope()))
    assert [(it.code, it.pointer, it.refused) for it in findings] == [
        ("invalid-json-schema", ("expect", 0, "args", "x", "json_schema"), True),
        ("invalid-regex", ("expect", 0, "args", "y", "regex"), True),
    ]
