"""Write events as lines of JSON and parse them again."""

import json
from pathlib import Path

import pytest

from waza_engine.model.results.evidence import FailedCheck
from waza_engine.model.results.records import GraderOutcome
from waza_engine.runs.events import (
    ArmEvent,
    BaselineEvent,
    Decided,
    Event,
    ExecutorUnavailable,
    Note,
    RunFinished,
    RunStarted,
    TaskFinished,
    TaskStarted,
    TrialFinished,
    TrialProgress,
    TrialStarted,
    event_data,
    event_line,
    parse_line,
)

_OUTCOME = GraderOutcome(
    "says",
    "text",
    "failed",
    0.5,
    1.0,
    feedback="no",
    details={"missing": ["a"]},
    duration_ms=3,
    path=Path("/suite/eval.yaml"),
    pointer=("graders", 1),
    parts=(FailedCheck(("contains", 0), "missing", "'b'", "1 b"),),
)
_TRIAL = TrialFinished("r", "t", 1, "failed", 0.5, 0.5, 1, 10, "", (_OUTCOME,))
EVENTS = [
    RunStarted("r", Path("/suite/eval.yaml"), "suite", "mock", "m", ("a", "b"), 2, 1),
    TaskStarted("r", "t", "Task", None, ("tasks", 0)),
    TaskStarted("r", "t", "Task", Path("/suite/t.yaml"), ()),
    TrialStarted("r", "t", 1),
    TrialProgress("r", "t", 1, "reads a file"),
    _TRIAL,
    TaskFinished("r", "t", "failed", 0.5, 0.5),
    Decided("r", "t", "open", 12, 0.75, 0.8, 0.4, 0.95, "--max-trials"),
    Decided("r", "", "better", 12, 0.25),
    Note("r", "warning", "not stored"),
    RunFinished("r", "cancelled", 3, 0.5, 0.5, 2, 1, 1, 0, 9),
    ExecutorUnavailable("r", "copilot-sdk", "The Copilot SDK is not installed.", "copilot"),
    BaselineEvent("r", _TRIAL),
    ArmEvent("r", "arm", BaselineEvent("r", _TRIAL)),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda it: type(it).__name__)
def test_a_written_event_is_parsed_back(event: Event) -> None:
    assert parse_line(event_line(event)) == event
    assert parse_line(event_line(event).encode()) == event


def test_every_event_class_has_a_case() -> None:
    from waza_engine.runs.events import _EVENT_NAMES

    assert {type(it) for it in EVENTS} == set(_EVENT_NAMES)


def test_unknown_members_are_ignored() -> None:
    data = {**event_data(_TRIAL), "weather": "fine"}
    assert parse_line(json.dumps(data)) == _TRIAL


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "3", '{"event": "weather"}', '{"event": "note"}', '{"event": "arm", "told": 3}']
)
def test_lines_without_an_event_give_none(line: str) -> None:
    assert parse_line(line) is None


def test_the_data_of_an_event_is_plain() -> None:
    data = event_data(_TRIAL)
    assert data["event"] == "trial_finished"
    assert data["graders"][0]["path"] == "/suite/eval.yaml"
    assert data["graders"][0]["pointer"] == ["graders", 1]
