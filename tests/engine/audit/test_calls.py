"""Edited tool calls are the same in the session digest, the tool events and the transcript."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.executors.replay import read_recording
from waza_engine.model.trajectory import Trajectory

ROOT = Path(__file__).parents[3] / "examples"
RECORDED = [
    read_recording(it)
    for it in sorted(ROOT.glob("*/recordings/*.json"))
    if it.name != "triggers.json" and read_recording(it).tool_events
]


def names_in_transcript(trajectory: Trajectory) -> list[str]:
    return [it["tool_name"] for it in trajectory.transcript if it.get("type") == "tool.execution_start"]


def results_in_transcript(trajectory: Trajectory) -> list[str]:
    return [it["tool_call_id"] for it in trajectory.transcript if it.get("type") == "tool.execution_complete"]


def assert_consistent(trajectory: Trajectory, names: list[str]) -> None:
    session = trajectory.session
    assert session is not None
    assert [it.tool_name for it in trajectory.tool_events] == names
    assert session.tools_used == names
    assert [it.name for it in session.tool_calls] == names
    assert session.tool_call_count == len(names)
    assert sorted(names_in_transcript(trajectory)) == sorted(names)
    ids = [it.tool_call_id for it in trajectory.tool_events]
    assert len(set(ids)) == len(ids)
    assert sorted(results_in_transcript(trajectory)) == sorted(ids)
    assert [it.sequence for it in trajectory.tool_events] == list(range(1, len(names) + 1))


def edits(trajectory: Trajectory) -> st.SearchStrategy[list[Edit]]:
    """Return lists of edits: some calls, in any order, some of them repeated."""
    positions = st.lists(st.integers(0, len(calls_of(trajectory)) - 1), max_size=12)

    def numbered(found: list[int]) -> list[Edit]:
        return [Edit(it, copy=found[:index].count(it)) for index, it in enumerate(found)]

    return positions.map(numbered)


@given(st.data())
def test_any_edit_is_the_same_everywhere(data: st.DataObject) -> None:
    trajectory = data.draw(st.sampled_from(RECORDED))
    chosen = data.draw(edits(trajectory))
    names = [calls_of(trajectory)[it.origin].name for it in chosen]
    assert_consistent(with_calls(trajectory, chosen), names)


@pytest.mark.parametrize("trajectory", RECORDED, ids=lambda it: it.task)
def test_no_change_changes_nothing(trajectory: Trajectory) -> None:
    made = with_calls(trajectory, [Edit(it.position) for it in calls_of(trajectory)])
    assert made.transcript == trajectory.transcript
    assert made.session == trajectory.session
    assert made.skills == trajectory.skills
    assert [it.tool_call_id for it in made.tool_events] == [it.tool_call_id for it in trajectory.tool_events]


def test_the_order_of_the_transcript_follows() -> None:
    trajectory = RECORDED[0]
    calls = calls_of(trajectory)
    made = with_calls(trajectory, [Edit(it.position) for it in reversed(calls)])
    assert names_in_transcript(made) == [it.name for it in reversed(calls)]


def skill_calls() -> Iterator[Trajectory]:
    return (it for it in RECORDED if it.skills and any(call.name == "skill" for call in calls_of(it)))


def test_a_dropped_call_of_a_skill_drops_the_skill() -> None:
    trajectory = next(skill_calls())
    calls = calls_of(trajectory)
    made = with_calls(trajectory, [Edit(it.position) for it in calls if it.name != "skill"])
    assert made.skills == []
    assert not any(it.get("type") == "skill.invoked" for it in made.transcript)


def test_arguments_and_errors_change_everywhere() -> None:
    trajectory = RECORDED[0]
    calls = calls_of(trajectory)
    changed = next(it for it in calls if "path" in it.arguments)
    arguments = {**changed.arguments, "path": "elsewhere.txt"}
    made = with_calls(
        trajectory,
        [
            Edit(it.position, arguments=arguments, error="no") if it is changed else Edit(it.position)
            for it in calls
        ],
    )
    event = made.tool_events[changed.position]
    assert (event.args["path"], event.success, event.error) == ("elsewhere.txt", False, "no")
    assert made.session is not None
    digest = made.session.tool_calls[changed.position]
    assert (digest.arguments["path"], digest.success) == ("elsewhere.txt", False)
    start = next(
        it
        for it in made.transcript
        if it.get("type") == "tool.execution_start" and it["tool_call_id"] == changed.id
    )
    assert start["arguments"]["path"] == "elsewhere.txt"
    end = next(
        it
        for it in made.transcript
        if it.get("type") == "tool.execution_complete" and it["tool_call_id"] == changed.id
    )
    assert end["success"] is False


def test_calls_without_ids_are_known_by_position() -> None:
    trajectory = RECORDED[0]
    events = [it.model_copy(update={"tool_call_id": ""}) for it in trajectory.tool_events]
    transcript = [
        {key: value for key, value in it.items() if key != "tool_call_id"} for it in trajectory.transcript
    ]
    blank = trajectory.model_copy(update={"tool_events": events, "transcript": transcript})
    made = with_calls(blank, [Edit(it.position) for it in calls_of(blank)[1:]])
    assert names_in_transcript(made) == [it.name for it in calls_of(blank)[1:]]
    ends = [it for it in made.transcript if it.get("type") == "tool.execution_complete"]
    assert len(ends) == len(calls_of(made))


def test_a_trial_without_calls_stays_as_it_is() -> None:
    assert with_calls(Trajectory(output="x"), []) == Trajectory(output="x")
