"""One turn of a conversation as a trial of its own (vally.md, sections 6 and 10.1)."""

from dataclasses import replace

from waza_engine.graders.base import GradingContext
from waza_engine.vally.events import events_of, last_message


class MissingTurnError(Exception):
    """The conversation has no such turn."""


def one_turn(context: GradingContext, turn: int) -> GradingContext:
    """What happened from the user message number `turn` (from 0) to the next; measures are counted anew.

    Raises:
        MissingTurnError: the conversation is shorter.
        GradeError: the executor of the recording does not know what happened.

    """
    events = events_of(context)
    starts = [index for index, it in enumerate(events) if it.get("type") == "user_message"]
    if not starts and turn == 0:
        return context
    if not 0 <= turn < len(starts):
        raise MissingTurnError(
            f"there is no turn {turn}: the recorded conversation has {len(starts) or 1}, counted from 0"
        )
    end = starts[turn + 1] if turn + 1 < len(starts) else len(events)
    part = events[starts[turn] : end]
    return replace(
        context, events=part, metrics=None, output=last_message(part), session=None, tool_events=(), skills=()
    )
