"""Transcripts become steps, whatever the recording has."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.trace.steps import Step, steps_of


def start(name: str, identity: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "tool.execution_start", "tool_name": name, "tool_call_id": identity, **more}


def end(result: object, identity: str = "", **more: Any) -> dict[str, Any]:
    return {
        "type": "tool.execution_complete",
        "tool_call_id": identity,
        "tool_result": result,
        "success": True,
        **more,
    }


def shown(steps: list[Step]) -> list[tuple[int, str, object]]:
    return [(it.n, it.kind, it.call.name if it.call else it.text) for it in steps]


def test_a_call_and_its_result_are_one_step_with_its_time() -> None:
    transcript = [
        {"type": "user.message", "content": "Do it", "at_ms": 0},
        start("view", "a", arguments={"path": "x"}, at_ms=10),
        start("edit", "b", arguments={"path": "y"}, at_ms=11),
        {"type": "skill.invoked"},
        end({"content": "changed"}, "b", success=False, at_ms=30),
        end({"content": "text"}, "a", at_ms=25),
        {"type": "assistant.message", "content": "done", "output_tokens": 7},
    ]
    event = {"tool_call_id": "b", "tool_name": "edit", "turn": 1, "error": "no such text", "duration_ms": 18}
    found = steps_of(Trajectory(transcript=transcript, tool_events=[event], skills=[{"name": "notes"}]))
    assert shown(found) == [
        (1, "user", "Do it"),
        (2, "tool", "view"),
        (3, "tool", "edit"),
        (4, "skill", "notes"),
        (5, "agent", "done"),
    ]
    view, edit = found[1], found[2]
    assert view.call is not None
    assert edit.call is not None
    assert (view.at_ms, view.duration_ms, view.call.result, view.call.success) == (10, 15, "text", True)
    assert (edit.duration_ms, edit.call.success, edit.call.error) == (18, False, "no such text")
    assert found[4].tokens_out == 7
    assert {it.turn for it in found} == {1}


def test_results_without_ids_come_in_the_order_of_the_calls() -> None:
    found = steps_of(Trajectory(transcript=[start("a"), start("b"), end(1), end(2), end(3)]))
    assert [it.call and (it.call.name, it.call.result) for it in found] == [("a", 1), ("b", 2), ("tool", 3)]


def test_without_a_transcript_the_steps_are_prompt_calls_and_output() -> None:
    digest = {"tool_calls": [{"name": "view", "arguments": {"path": "x", "file_text": ""}}]}
    found = steps_of(Trajectory(prompt="Do it", output="done", session=digest))
    assert shown(found) == [(1, "user", "Do it"), (2, "tool", "view"), (3, "agent", "done")]
    assert found[1].call is not None
    assert found[1].call.arguments == {"path": "x"}


def test_calls_that_the_transcript_lacks_come_before_the_last_message() -> None:
    transcript = [
        {"type": "user.message", "content": "Do it"},
        {"type": "assistant.message", "content": "done"},
    ]
    events = [{"tool_name": "view", "args": {"path": "x"}, "result": "text", "success": True, "turn": 1}]
    found = steps_of(Trajectory(transcript=transcript, tool_events=events))
    assert shown(found) == [(1, "user", "Do it"), (2, "tool", "view"), (3, "agent", "done")]


def test_turns_are_those_of_the_user() -> None:
    messages = [
        {"type": f"{who}.message", "content": "x"} for who in ("user", "assistant", "user", "assistant")
    ]
    assert [it.turn for it in steps_of(Trajectory(transcript=messages))] == [1, 1, 2, 2]


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["content", "message", "path"]), inner, max_size=3)
    ),
    max_leaves=4,
)
_EVENTS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["tool.execution_start", "tool.execution_complete", "user.message", "skill.invoked", "x"]
        )
        | _VALUES,
        "tool_call_id": st.sampled_from(["a", "b", ""]) | _VALUES,
        "tool_name": _VALUES,
        "tool_result": _VALUES,
        "arguments": _VALUES,
        "at_ms": _VALUES,
        "content": _VALUES,
        "data": _VALUES,
        "success": _VALUES,
    },
)


@given(st.lists(_EVENTS, max_size=8))
@settings(max_examples=examples(200))
def test_any_transcript_has_numbered_steps_and_loses_no_call(transcript: list[dict[str, Any]]) -> None:
    found = steps_of(Trajectory(transcript=transcript))
    assert [it.n for it in found] == list(range(1, len(found) + 1))
    starts = sum(it.get("type") == "tool.execution_start" for it in transcript)
    ends = sum(it.get("type") == "tool.execution_complete" for it in transcript)
    assert max(starts, ends) <= sum(it.call is not None for it in found) <= starts + ends
    assert all(it.at_ms is None or it.at_ms >= 0 for it in found)
