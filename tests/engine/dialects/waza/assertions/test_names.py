"""What assertions see: the trial as waza hands it over."""

from collections.abc import Mapping
from typing import Any

import pytest

from waza_engine.dialects.waza.assertions.names import assertion_names
from waza_engine.graders.base import GradingContext

START = {
    "type": "tool.execution_start",
    "tool_call_id": "1",
    "tool_name": "bash",
    "arguments": {"command": "ls"},
}
DONE = {
    "type": "tool.execution_complete",
    "tool_call_id": "1",
    "success": True,
    "tool_result": {"content": "a"},
}


def _names(*transcript: Mapping[str, Any]) -> dict[str, Any]:
    return assertion_names(GradingContext(transcript=transcript))


def test_a_trial_without_anything() -> None:
    assert _names() == {
        "output": "",
        "outcome": {},
        "transcript": [],
        "tool_calls": [],
        "errors": [],
        "duration_ms": 0,
    }


def test_a_call_is_a_start_with_its_completion() -> None:
    arguments = {"path": "", "file_text": "", "command": "ls", "description": "", "skill": ""}
    assert _names(START, DONE)["tool_calls"] == [
        {"name": "bash", "arguments": arguments, "success": True, "result": {"content": "a"}}
    ]
    assert _names(START)["tool_calls"] == [{"name": "bash", "arguments": arguments, "success": False}]


@pytest.mark.parametrize("missing", ["tool_call_id", "tool_name"])
def test_a_start_without_id_or_name_is_no_call(missing: str) -> None:
    assert _names({name: it for name, it in START.items() if name != missing})["tool_calls"] == []


def test_a_repeated_id_gives_its_last_start_twice() -> None:
    again = {**START, "tool_name": "edit"}
    assert [it["name"] for it in _names(START, again)["tool_calls"]] == ["edit", "edit"]


def test_argument_names_match_without_case_and_only_texts_are_taken() -> None:
    given = {"Command": "a", "PATH": 5, "Skill": "loud", "skill": "exact", "other": "x"}
    [call] = _names({**START, "arguments": given})["tool_calls"]
    assert call["arguments"] == {
        "path": "",
        "file_text": "",
        "command": "a",
        "description": "",
        "skill": "exact",
    }


def test_events_keep_the_members_of_their_type_only() -> None:
    event = {"content": "c", "message": "m", "tool_name": "t", "tool_call_id": "1", "success": False}
    kept: dict[str, dict[str, Any]] = {
        "assistant.message": {"content": "c"},
        "user.message": {"content": "c"},
        "assistant.reasoning": {},
        "session.error": {"message": "m"},
        "session.info": {},
        "tool.execution_start": {"tool_name": "t", "tool_call_id": "1"},
        "tool.execution_complete": {"tool_call_id": "1", "success": False},
        "abort": {},
    }
    for kind, members in kept.items():
        assert _names({"type": kind, **event})["transcript"] == [{"type": kind, **members}]


def test_errors_are_events_that_speak_of_one_in_type_or_content() -> None:
    spoken = {"type": "assistant.message", "content": "an error"}
    loud = {"type": "assistant.message", "content": "ERROR"}
    ended = {"type": "session.error", "message": "m"}
    assert _names(spoken, loud, ended, DONE)["errors"] == [spoken, ended]


def test_integers_are_exact_and_fractions_are_doubles_as_go_writes_them() -> None:
    given = {"a": 5.0, "b": 1.5, "c": 12345678901234567890, "d": 1e21, "e": True, "f": -3.0, "g": 10**400}
    [event] = _names({**START, "arguments": given})["transcript"]
    arguments = event["arguments"]
    assert arguments == {**given, "a": 5, "f": -3}
    assert [type(it) for it in arguments.values()] == [int, float, int, float, bool, int, int]


def test_keys_are_sorted_and_lone_surrogates_replaced() -> None:
    [event] = _names({**START, "arguments": {"b": "\ud800", "a": [None]}})["transcript"]
    assert list(event["arguments"].items()) == [("a", [None]), ("b", "\ufffd")]
