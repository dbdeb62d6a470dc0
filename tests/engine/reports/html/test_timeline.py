"""The lane of tool calls and the steps of an agent."""

import pytest

from tests.engine.reports.html.pages import macro
from waza_engine.model.trajectory import Trajectory
from waza_engine.reports.html.timeline import timeline


@pytest.mark.parametrize(
    "transcript",
    [
        [{"type": "tool.execution_start", "at_ms": 5}],
        [{"type": "tool.execution_start", "at_ms": "5", "tool_name": None}],
        [{"type": "tool.execution_complete", "at_ms": -3, "tool_result": [1]}],
        [{"type": "user.message", "content": "x", "at_ms": 0}],
        [{}],
    ],
)
def test_any_transcript_can_be_shown(transcript: list[dict[str, object]]) -> None:
    found = timeline(Trajectory(transcript=transcript))
    # An empty event is no step.
    assert (found is None) == (transcript == [{}])
    if found is not None:
        macro("timeline", "timeline", found)
