"""Put the transcript of a trial into steps: one per message, and one per tool call with its result.

Recordings differ in what they have: only the session digest has the calls, or there is no transcript at all. The steps
have then what is known of the calls, the prompt and the output.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from waza_engine.model.trajectory import ToolEvent, Trajectory

StepKind = Literal["user", "agent", "reasoning", "tool", "skill", "error", "system", "other"]
Event = Mapping[str, Any]

_START, _END, _SKILL = "tool.execution_start", "tool.execution_complete", "skill.invoked"
_MESSAGES: Mapping[str, StepKind] = {
    "user.message": "user",
    "assistant.message": "agent",
    "assistant.reasoning": "reasoning",
    "session.error": "error",
    "system.message": "system",
    "system.event": "system",
}
_LARGEST_TIME = 1 << 53
"""Larger numbers are not exact in JavaScript, and no time."""


@dataclass(frozen=True, slots=True)
class StepCall:
    """A tool call with its result. `success` is None if the recording has no result. `error` is why the call failed."""

    id: str
    name: str
    arguments: Any
    result: Any = None
    success: bool | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `n` counts from 1, `turn` is the user's turn (from 1), 0 if unknown. Times are None if unknown."""

    kind: StepKind
    text: str = ""
    call: StepCall | None = None
    n: int = 0
    turn: int = 0
    at_ms: int | None = None
    duration_ms: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None


def steps_of(trajectory: Trajectory) -> list[Step]:
    """Return the steps of a trial, in the order of its transcript."""
    known = {it.tool_call_id: it for it in trajectory.tool_events if it.tool_call_id}
    skills = (it.name for it in trajectory.skills)
    found = list(_transcript_steps(trajectory.transcript, known, skills))
    if not any(it.kind == "tool" for it in found):
        calls = list(_recorded_calls(trajectory))
        last = next((at for at in reversed(range(len(found))) if found[at].kind == "agent"), len(found))
        found[last:last] = calls
    if trajectory.prompt and not any(it.kind == "user" for it in found):
        found.insert(0, Step("user", trajectory.prompt))
    if trajectory.output and not any(it.kind == "agent" for it in found):
        found.append(Step("agent", trajectory.output))
    return list(_numbered(found))


def _numbered(steps: Iterable[Step]) -> Iterator[Step]:
    turn = 0
    for number, step in enumerate(steps, 1):
        turn = max(turn + (step.kind == "user"), step.turn)
        yield replace(step, n=number, turn=turn)


def _transcript_steps(
    transcript: Sequence[Event], known: Mapping[str, ToolEvent], skills: Iterator[str]
) -> Iterator[Step]:
    ends, used = _paired(transcript)
    for index, event in enumerate(transcript):
        kind = str(event.get("type"))
        if kind == _START:
            yield _call_step(event, ends.get(index), known)
        elif kind == _END:
            if index not in used:
                yield _call_step({**event, "at_ms": None}, event, known)
        elif kind == _SKILL:
            yield Step("skill", text_of(event.get("name")) or next(skills, ""), at_ms=_time(event))
        elif kind in _MESSAGES:
            if text := _message(event):
                yield _counted(Step(_MESSAGES[kind], text, at_ms=_time(event)), event)
        elif text := text_of(event.get("content") or event.get("message")):
            yield Step("other", text, at_ms=_time(event))


def _paired(transcript: Sequence[Event]) -> tuple[dict[int, Event], set[int]]:
    """Return the result of each call by the call's index, and the indices of these results.

    Results without an id come in the order of the calls.
    """
    waiting: dict[str, deque[int]] = {}
    ends: dict[int, Event] = {}
    used: set[int] = set()
    for index, event in enumerate(transcript):
        name = text_of(event.get("tool_call_id"))
        if event.get("type") == _START:
            waiting.setdefault(name, deque()).append(index)
        elif event.get("type") == _END and waiting.get(name):
            ends[waiting[name].popleft()] = event
            used.add(index)
    return ends, used


def _call_step(start: Event, end: Event | None, known: Mapping[str, ToolEvent]) -> Step:
    name = text_of(start.get("tool_call_id"))
    event = known.get(name)
    at, stop = _time(start), _time(end) if end else None
    duration = event.duration_ms if event and event.duration_ms > 0 else None
    if duration is None and at is not None and stop is not None and stop > at:
        # A file with one time for a call and its result does not say how long the call took.
        duration = stop - at
    call = StepCall(
        name,
        text_of(start.get("tool_name")) or (event.tool_name if event else "") or "tool",
        start.get("arguments") if "arguments" in start or event is None else event.args,
        _result(end.get("tool_result")) if end else None,
        None if end is None else end.get("success") is True,
        event.error if event else "",
    )
    turn = event.turn if event else 0
    return _counted(Step("tool", call=call, turn=turn, at_ms=at, duration_ms=duration), start)


def _recorded_calls(trajectory: Trajectory) -> Iterator[Step]:
    """Yield the calls of a recording whose transcript has none."""
    for event in trajectory.tool_events:
        call = StepCall(
            event.tool_call_id,
            event.tool_name or "tool",
            event.args,
            _result(event.result),
            event.success,
            event.error,
        )
        yield Step("tool", call=call, turn=event.turn, duration_ms=event.duration_ms or None)
    if trajectory.session is None or trajectory.tool_events:
        return
    for it in trajectory.session.tool_calls:
        # A digest has all of a few arguments, most of them empty.
        arguments = {key: value for key, value in it.arguments.items() if value != ""}
        yield Step("tool", call=StepCall(it.id, it.name or "tool", arguments, _result(it.result), it.success))
    if not trajectory.session.tool_calls:
        yield from (Step("tool", call=StepCall("", it, None)) for it in trajectory.session.tools_used)


def _counted(step: Step, event: Event) -> Step:
    """Add the tokens, where the recording has them per step."""
    return replace(step, tokens_in=_count(event, "input_tokens"), tokens_out=_count(event, "output_tokens"))


def _message(event: Event) -> str:
    data = event.get("data")
    inner = data if isinstance(data, Mapping) else {}
    for it in (event.get("content"), event.get("message"), inner.get("content"), inner.get("message")):
        if text := text_of(it):
            return text
    return text_of(data)


def _result(result: Any) -> Any:
    content = result.get("content") if isinstance(result, Mapping) else None
    return content if isinstance(content, str) else result


def text_of(value: Any) -> str:
    """Return a value of a recording as text: "" for nothing, JSON for what is not a string."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str) if value else ""


def _time(event: Event) -> int | None:
    return _count(event, "at_ms")


def _count(event: Event, key: str) -> int | None:
    value = event.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < _LARGEST_TIME else None
