"""One turn of a conversation as a trial of its own (docs/reference/vally.md, sections 6 and 10.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.vally.events import TURN_END, events_of, last_message, spoken_events_of

_MARKS = frozenset(["turn_start", "turn_end"])


class MissingTurnError(Exception):
    """The conversation has no such turn."""


def one_turn(context: GradingContext, turn: int) -> GradingContext:
    """What happened from the user message number `turn` (from 0) to the next; measures are counted anew.

    What the executor of the recording does not know stays unknown.

    Raises:
        MissingTurnError: the conversation is shorter.

    """
    try:
        events = events_of(context)
    except GradeError:
        return _spoken_turn(context, turn)
    starts = _starts(events, "user_message", turn)
    if not starts:
        return context
    part = list(_part(events, starts, turn))
    if turn + 1 < len(starts) and not any(it.get("type") in _MARKS for it in part):
        part.append(TURN_END)  # The user went on.
    measured = _measured(context, turn) if context.events is None else None
    return replace(
        context,
        events=part,
        metrics=measured,
        output=last_message(part),
        session=None,
        tool_events=(),
        skills=(),
    )


def _spoken_turn(context: GradingContext, turn: int) -> GradingContext:
    """The messages of the turn. Calls, skills and tokens are as closed to graders as they were."""
    starts = _starts(context.transcript, "user.message", turn)
    if not starts:
        return context
    error = context.error if turn + 1 == len(starts) else ""
    part = _part(context.transcript, starts, turn)
    own = replace(context, transcript=part, output="", error=error, metrics=_measured(context, turn))
    return replace(own, output=last_message(spoken_events_of(own)))


def _starts(events: Sequence[Mapping[str, Any]], kind: str, turn: int) -> list[int]:
    """Where the turns begin; nowhere when the conversation is a single one of which no message is recorded."""
    starts = [index for index, it in enumerate(events) if it.get("type") == kind]
    if not 0 <= turn < (len(starts) or 1):
        raise MissingTurnError(
            f"there is no turn {turn}: the recorded conversation has {len(starts) or 1}, counted from 0"
        )
    return starts


def _part(
    events: Sequence[Mapping[str, Any]], starts: Sequence[int], turn: int
) -> Sequence[Mapping[str, Any]]:
    return events[starts[turn] : starts[turn + 1] if turn + 1 < len(starts) else len(events)]


def _measured(context: GradingContext, turn: int) -> Mapping[str, Any] | None:
    """The time that the turn took, by the moments of our transcript."""
    moments = [it.get("at_ms") for it in context.transcript if it.get("type") == "user.message"]
    began, ended = (*moments, context.duration_ms)[turn : turn + 2]
    return {"wallTimeMs": ended - began} if isinstance(began, int) and isinstance(ended, int) else None
