"""How graders read a trial: events, steps, metrics, turns and the input of programs."""

from typing import Any

import pytest

from waza_engine.dialects.vally.graders._shared.process import grader_input
from waza_engine.dialects.vally.trajectory.calls import calls_in
from waza_engine.dialects.vally.trajectory.events import events_of
from waza_engine.dialects.vally.trajectory.metrics import (
    error_count,
    tokens,
    tool_call_count,
    turn_count,
    wall_time_ms,
)
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, ToolEvent, Usage

RECORDING = GradingContext(
    output="all done",
    transcript=[
        {"type": "user.message", "content": "go"},
        {"type": "assistant.turn_start"},
        {"type": "assistant.message", "content": "looking"},
        {
            "type": "tool.execution_start",
            "tool_call_id": "1",
            "tool_name": "view",
            "arguments": {"path": "a"},
        },
        {
            "type": "tool.execution_start",
            "tool_call_id": "2",
            "tool_name": "bash",
            "arguments": {"command": "ls"},
        },
        {"type": "tool.execution_complete", "tool_call_id": "1", "success": True, "tool_result": "text"},
        {"type": "tool.execution_complete", "tool_call_id": "2", "success": False, "tool_result": None},
        {"type": "skill.invoked"},
        {"type": "assistant.turn_end"},
        {"type": "assistant.turn_start"},
        {"type": "tool.execution_start", "tool_call_id": "3", "tool_name": "edit", "arguments": {}},
        {"type": "tool.execution_complete", "tool_call_id": "3", "success": True, "tool_result": {"ok": 1}},
        {"type": "assistant.turn_end"},
        {"type": "assistant.turn_start"},
        {"type": "assistant.message", "content": "all done"},
        {"type": "assistant.turn_end"},
    ],
    session=Session(tool_call_count=3, usage=Usage(turns=3, input_tokens=10, output_tokens=5)),
    skills=[SkillInvocation(name="deploy", path="skills/deploy")],
    duration_ms=1500,
)


def _verdict(type_name: str, context: GradingContext, **config: Any) -> GraderResult:
    graded = grade_entry({"type": type_name, "config": config}, context, "VALLY")
    assert isinstance(graded, GraderVerdict), graded
    return graded.result


def test_a_transcript_of_ours_becomes_events() -> None:
    kinds = [it["type"] for it in events_of(RECORDING)]
    assert kinds[:4] == ["user_message", "turn_start", "assistant_message", "tool_call"]
    assert kinds.count("turn_end") == 3
    assert [it["data"] for it in events_of(RECORDING) if it["type"] == "skill_activation"] == [
        {"name": "deploy", "path": "skills/deploy"}
    ]


def test_calls_have_their_steps_and_results() -> None:
    calls = calls_in(events_of(RECORDING))
    assert [(it.name, it.step, it.answered, it.result) for it in calls] == [
        ("view", 0, True, "text"),
        ("bash", 0, True, None),
        ("edit", 1, True, {"ok": 1}),
    ]


def test_steps_without_turns_follow_the_messages() -> None:
    events: list[dict[str, Any]] = []
    for number, message in enumerate(("a", "b")):
        events.append({"type": "assistant_message", "data": {"content": message}})
        for call in (f"{number}x", f"{number}y"):
            events.append({"type": "tool_call", "data": {"toolName": call, "toolCallId": call}})
            events.append({"type": "tool_result", "data": {"toolCallId": call, "result": ""}})
    assert [it.step for it in calls_in(events)] == [0, 0, 1, 1]


def test_steps_of_bare_calls_end_with_a_result() -> None:
    context = GradingContext(tool_events=[ToolEvent(tool_name=it, success=True) for it in ("a", "b")])
    assert [(it.name, it.step) for it in calls_in(events_of(context))] == [("a", 0), ("b", 1)]


def test_results_of_nested_agents_are_their_own() -> None:
    call = {"type": "tool_call", "agentId": "sub", "data": {"toolName": "bash", "toolCallId": "1"}}
    result = {"type": "tool_result", "data": {"toolCallId": "1", "result": "x"}}
    assert [it.answered for it in calls_in([call, result])] == [False]


def test_metrics_of_our_recordings() -> None:
    assert (tokens(RECORDING), tool_call_count(RECORDING), turn_count(RECORDING)) == (15, 3, 3)
    assert (error_count(RECORDING), wall_time_ms(RECORDING)) == (0, 1500)


def test_recorded_metrics_take_precedence() -> None:
    context = GradingContext(events=[], metrics={"turnCount": 7, "wallTimeMs": 12.5})
    assert (turn_count(context), wall_time_ms(context)) == (7, 12.5)


def test_duration_from_event_times() -> None:
    stamps = ["2026-01-01T10:00:00.000Z", "2026-01-01T10:00:02.500Z"]
    context = GradingContext(events=[{"type": "turn_start", "timestamp": it, "data": {}} for it in stamps])
    assert wall_time_ms(context) == 2500


def test_an_unknown_metric_is_undecided() -> None:
    assert _verdict("wall-time", GradingContext(events=[]), max="1s").status == "error"


def test_a_digest_alone_is_enough_for_calls() -> None:
    session = Session(tool_calls=[ToolCall(id="1", name="bash", arguments={"command": "ls"}, success=True)])
    context = GradingContext(output="x", session=session)
    assert _verdict("tool-calls", context, required=[{"name": "bash", "command": "^ls$"}]).passed


def test_an_agents_error_is_an_error_event() -> None:
    context = GradingContext(output="half", error="timed out")
    result = _verdict("completed", context)
    assert not result.passed
    assert "timed out" in result.feedback
    assert error_count(context) == 1


def test_an_answer_without_a_transcript_is_complete() -> None:
    assert _verdict("completed", GradingContext(output="done")).passed


def test_a_turn_is_graded_by_itself() -> None:
    context = GradingContext(
        output="third",
        transcript=[
            {"type": "user.message", "content": "one"},
            {"type": "assistant.message", "content": "first"},
            {"type": "user.message", "content": "two"},
            {"type": "assistant.message", "content": "second"},
        ],
    )
    entry = GraderEntry("output-contains", "x", config={"substring": "first"}, dialect="vally", turn=0)
    graded = grade_entry(entry, context, "VALLY")
    assert isinstance(graded, GraderVerdict)
    assert (graded.name, graded.result.passed) == ("x", True)


def test_a_conversation_without_user_messages_is_one_turn() -> None:
    graded = grade_entry(
        {"type": "output-contains", "turn": 0, "config": {"substring": "x"}},
        GradingContext(output="x"),
        "VALLY",
    )
    assert isinstance(graded, GraderVerdict)
    assert graded.result.passed


def test_a_grader_without_a_name_uses_its_type() -> None:
    graded = grade_entry({"type": "exit-success"}, GradingContext(output="x"), "VALLY")
    assert graded.name == "exit-success"


def test_a_program_gets_the_trial_as_input() -> None:
    told = grader_input(RECORDING, {"program": "x"})
    assert set(told) == {"trajectory", "stimulus", "config"}
    assert told["trajectory"]["output"] == "all done"
    assert told["trajectory"]["metrics"]["toolCallCount"] == 3


@pytest.mark.parametrize("option", ["substring", "value"])
def test_a_check_that_the_prompt_passes_by_itself(option: str) -> None:
    from waza_engine.graders.registry import graders

    kinds = graders("vally")
    config = {option: "Resource Group"}
    assert list(kinds["output-contains"].echoed_checks(config, "name the resource group")) == [(option,)]
    assert not list(kinds["output-not-contains"].echoed_checks(config, "name the resource group"))
