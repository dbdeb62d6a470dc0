"""The lane of tool calls and the steps of an agent."""

import re

import pytest

from tests.engine.reports.html.pages import macro
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.html.timeline import Fold, Step, timeline


@pytest.mark.parametrize(
    "transcript",
    [
        [{"type": "tool.execution_start", "at_ms": 5}],
        [{"type": "tool.execution_start", "at_ms": "5", "tool_name": None}],
        [{"type": "tool.execution_complete", "at_ms": -3, "tool_result": [1]}],
        [{"type": "user.message", "content": "x", "at_ms": 0}],
        [{}],
        [{"type": ["user.message"]}],
    ],
)
def test_any_transcript_can_be_shown(transcript: list[dict[str, object]]) -> None:
    found = timeline(Trajectory(transcript=transcript))
    # An event without a known type is no step.
    assert (found is None) == (not isinstance(transcript[0].get("type"), str))
    if found is not None:
        macro("timeline", "timeline", found, "x")


def calls(count: int) -> list[dict[str, object]]:
    """So many calls of a tool with their results, each at its own time."""
    return [
        event
        for it in range(count)
        for event in (
            {
                "type": "tool.execution_start",
                "tool_call_id": str(it),
                "tool_name": "view",
                "arguments": {"path": f"{it}.txt"},
                "at_ms": 10 * it,
            },
            {
                "type": "tool.execution_complete",
                "tool_call_id": str(it),
                "success": it != 40,
                "at_ms": 10 * it,
            },
        )
    ]


def test_of_a_long_transcript_the_end_is_shown_with_what_failed_and_what_checks_point_to() -> None:
    found = timeline(Trajectory(transcript=calls(500)), {201: ["right-file"]})
    assert found is not None
    shown = [it.number for it in found.parts if isinstance(it, Step)]
    assert shown == [1, 81, 82, 83, 200, 201, 202, *range(989, 1001)]
    folds = [(len(it.steps), it.left_out, it.summary) for it in found.parts if isinstance(it, Fold)]
    assert folds == [
        (79, 0, "39 \u00d7 tool view"),
        (116, 0, "58 \u00d7 tool view"),
        (200, 586, "393 \u00d7 tool view"),
    ]
    page = macro("timeline", "timeline", found, "t")
    assert "786 steps folded: 393 \u00d7 tool view" in page
    assert "586 more steps are not in this page." in page
    assert re.search(r'class="tool pointed" id="t-step-201">.*right-file', page)
    assert found.lane is not None
    # The lane reaches the end, too.
    assert 300 < len(found.lane.marks) <= 500
    assert found.lane.marks[-1].start > 0.9


def test_a_short_transcript_is_not_folded() -> None:
    found = timeline(Trajectory(transcript=calls(15)))
    assert found is not None
    assert [it.number for it in found.parts if isinstance(it, Step)] == list(range(1, 31))
