"""The tool calls of a trial: each with its result and the step it belongs to.

See docs/reference/vally.md, sections 7.5 and 10.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.dialects.vally.trajectory.events import Event, data_of, events_of
from waza_engine.graders.base import GradingContext


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `step` counts the agent's messages from 0; without `answered` there is no result."""

    name: str
    arguments: Mapping[str, Any]
    step: int
    answered: bool = False
    result: Any = None


def calls_in(events: Sequence[Event]) -> list[Call]:
    """All tool calls, in order."""
    results = {_identity(it): data_of(it).get("result") for it in events if it.get("type") == "tool_result"}
    found: list[Call] = []
    for event, step in zip(events, _steps(events), strict=True):
        if event.get("type") == "tool_call":
            data, identity = data_of(event), _identity(event)
            arguments = data.get("arguments")
            found.append(
                Call(
                    str(data.get("toolName") or ""),
                    arguments if isinstance(arguments, Mapping) else {},
                    step,
                    identity in results,
                    results.get(identity),
                )
            )
    return found


def known_calls(context: GradingContext) -> list[Call]:
    """The tool calls of a trial.

    Raises:
        GradeError: the executor of the recording does not know its tool calls.

    """
    if context.events is None:
        # Asked for even when there is a transcript: it answers that the calls are not known, if so.
        len(context.tool_events)
    return calls_in(events_of(context))


def step_count(context: GradingContext) -> int:
    """The steps of a trial.

    Raises:
        GradeError: as `known_calls`.

    """
    if context.events is None:
        len(context.tool_events)
    return max(_steps(events_of(context)), default=-1) + 1


def _identity(event: Event) -> tuple[str, str]:
    return str(event.get("agentId")), str(data_of(event).get("toolCallId"))


def _steps(events: Sequence[Event]) -> list[int]:
    """For each event the step it belongs to: one message of the agent with the calls that come from it.

    A turn without a message is a step, too. Where neither messages nor turns were recorded, calls that follow a
    result belong to a new step.
    """
    kinds = [it.get("type") for it in events]
    ends_step = {"turn_start", "turn_end"}
    if not set(kinds) & {"turn_start", "assistant_message"}:
        ends_step.add("tool_result")
    steps: list[int] = []
    step, is_open = -1, False
    for kind in kinds:
        if kind == "assistant_message" or (kind == "tool_call" and not is_open):
            step, is_open = step + 1, True
        elif kind in ends_step:
            is_open = False
        steps.append(step)
    return steps
