"""The tool calls of a trial, with their results and steps.

See docs/reference/vally.md, sections 7.5 and 10.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.dialects.vally.trajectory.events import Event, data_of, events_of
from waza_engine.graders.base import GradingContext


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `step` counts agent messages from 0; `answered` tells whether there is a result.

    `arguments` are empty if the recorded ones are not a mapping: since vally 0.16 they may be any JSON value. `batch` is
    equal for calls that the agent made together.
    """

    name: str
    arguments: Mapping[str, Any]
    step: int
    answered: bool = False
    result: Any = None
    arguments_as_recorded: Any = None
    batch: tuple[str, str | int] = ("", 0)


def calls_in(events: Sequence[Event]) -> list[Call]:
    """Return all tool calls, in order."""
    results = {_call_key(it): data_of(it).get("result") for it in events if it.get("type") == "tool_result"}
    calls: list[Call] = []
    for event, step in zip(events, _steps(events), strict=True):
        if event.get("type") == "tool_call":
            data, call_id = data_of(event), _call_key(event)
            arguments = data.get("arguments")
            calls.append(
                Call(
                    str(data.get("toolName") or ""),
                    arguments if isinstance(arguments, Mapping) else {},
                    step,
                    call_id in results,
                    results.get(call_id),
                    arguments,
                    _batch(event, step),
                )
            )
    return calls


def known_calls(context: GradingContext) -> list[Call]:
    """Return the tool calls of a trial.

    Raises:
        GradeError: the executor of the recording did not record tool calls.

    """
    if context.events is None:
        # Raises GradeError if the calls are unknown, which the transcript alone does not show.
        len(context.tool_events)
    return calls_in(events_of(context))


def step_count(context: GradingContext) -> int:
    """Return the number of steps of a trial.

    Raises:
        GradeError: as `known_calls`.

    """
    if context.events is None:
        len(context.tool_events)
    return max(_steps(events_of(context)), default=-1) + 1


def _call_key(event: Event) -> tuple[str, str]:
    return str(event.get("agentId")), str(data_of(event).get("toolCallId"))


def _batch(event: Event, step: int) -> tuple[str, str | int]:
    """Return the turn that the executor recorded for a call (vally 0.11), or else the step."""
    turn = data_of(event).get("turnId", event.get("turnId"))
    return str(event.get("agentId")), step if turn is None else f"turn {turn}"


def _steps(events: Sequence[Event]) -> list[int]:
    """Return the step of each event. A step is an agent message with its calls.

    A turn without a message is also a step. If neither messages nor turns were recorded, a call after a result starts
    a new step.
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
