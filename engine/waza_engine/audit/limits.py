"""Find limits that no trial will ever reach: a hundred times the recorded calls, tokens and time are within them."""

from collections.abc import Sequence
from typing import Any

from waza_engine.audit.calls import Edit, calls_of, with_calls
from waza_engine.audit.own_words.checks import only_limits
from waza_engine.audit.task_grading import TaskGrading
from waza_engine.graders.result import GraderVerdict
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording

TIMES = 100
"""So many times the recorded figures must break a limit that is of use."""


def loose_limits(
    grading: TaskGrading, graders: Sequence[GraderEntry], passing: Sequence[Recording]
) -> tuple[str, ...]:
    """Return the names of the graders that set only limits, and pass for far more than was recorded.

    Raises:
        WorkspaceError: a workspace cannot be created.

    """
    limits = [it.name for it in graders if only_limits(it)]
    if not limits or not passing:
        return ()
    first = passing[0]
    wasteful = grading.memory.once(("wasteful", id(first.trajectory)), lambda: _wasteful(first.trajectory))
    grading.record(wasteful, first)
    verdicts = grading.verdicts()
    return tuple(it for it in limits if _passes(verdicts.get(it)))


def _passes(verdict: object) -> bool:
    return isinstance(verdict, GraderVerdict) and verdict.result.passed


def _wasteful(trajectory: Trajectory) -> Trajectory:
    """Return the trial with far more calls, turns, errors, tokens and time."""
    calls = calls_of(trajectory)
    edits = [Edit(it.position, copy=copy) for it in calls for copy in range(TIMES if it is calls[-1] else 1)]
    more = with_calls(trajectory, edits)
    session = more.session
    if session is not None:
        usage = {name: count * TIMES for name, count in session.usage or () if isinstance(count, int)}
        session = session.model_copy(
            update={
                "errors": [*session.errors, *["wasted"] * TIMES],
                "usage": session.usage and session.usage.model_copy(update=usage),
            }
        )
    return more.model_copy(
        update={
            "duration_ms": more.duration_ms * TIMES,
            "session": session,
            "transcript": [*more.transcript, *_WASTED_TURN * TIMES],
        }
    )


_WASTED_TURN: list[dict[str, Any]] = [
    {"type": "assistant.turn_start"},
    {"type": "session.error", "message": "wasted"},
    {"type": "assistant.turn_end"},
]
