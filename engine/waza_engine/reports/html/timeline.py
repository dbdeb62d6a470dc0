"""Prepare what an agent did for the HTML reports: a lane with the time of each tool call, then every step in order."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.model.trajectory import Trajectory, Usage

_MOST_EVENTS = 500
_MESSAGES = {
    "user.message": ("user", "user"),
    "assistant.message": ("agent", "agent"),
    "assistant.reasoning": ("reasoning", "agent"),
    "session.error": ("error", "bad"),
}
_END = "tool.execution_complete"


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `look` is its CSS class, `at_ms` None where the recording has no times."""

    look: str
    title: str
    text: str
    at_ms: int | None
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A tool call or, without a name, a message: where it begins and how long it is, as shares of the whole."""

    look: str
    start: float
    name: str = ""
    width: float = 0.0
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Lane:
    """Tool calls and messages on a line of time, in the order of the recording."""

    duration_ms: int
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The steps of an agent. `left_out` counts the events that are not shown."""

    steps: list[Step]
    lane: Lane | None
    duration_ms: int
    usage: Usage | None
    left_out: int


def timeline(trajectory: Trajectory) -> Timeline | None:
    """Return the steps, or None when none were recorded."""
    shown = trajectory.transcript[:_MOST_EVENTS]
    steps = [it for it in map(_step, shown) if it is not None]
    if not steps:
        return None
    return Timeline(
        steps,
        _lane(trajectory.transcript, trajectory.duration_ms),
        trajectory.duration_ms,
        trajectory.session.usage if trajectory.session else None,
        len(trajectory.transcript) - len(shown),
    )


def _lane(transcript: Sequence[Mapping[str, Any]], duration_ms: int) -> Lane | None:
    """Place the events in time; None for recordings without times."""
    times = [it["at_ms"] for it in transcript if isinstance(it.get("at_ms"), int)]
    whole = max([duration_ms, *times])
    if not times or whole <= 0:
        return None
    ends = {it.get("tool_call_id"): it for it in transcript if it.get("type") == _END}
    timed = (it for it in transcript[:_MOST_EVENTS] if isinstance(it.get("at_ms"), int))
    marks = (_mark(it, ends, whole) for it in timed)
    return Lane(whole, [it for it in marks if it is not None])


def _mark(event: Mapping[str, Any], ends: Mapping[Any, Mapping[str, Any]], whole: int) -> Mark | None:
    at = event["at_ms"]
    match event.get("type"):
        case "tool.execution_start":
            end = ends.get(event.get("tool_call_id"), {})
            stop = end["at_ms"] if isinstance(end.get("at_ms"), int) else whole
            look = "" if end.get("success") is True else "bad"
            return Mark(look, at / whole, _tool(event), (stop - at) / whole, stop - at)
        case "assistant.message":
            return Mark("", at / whole)
        case "user.message":
            return Mark("user", at / whole)
        case _:
            return None


def _step(event: Mapping[str, Any]) -> Step | None:
    kind = str(event.get("type") or "")
    at = event.get("at_ms")
    at_ms = at if isinstance(at, int) else None
    if kind in _MESSAGES:
        title, look = _MESSAGES[kind]
        text = str(event.get("content") or event.get("message") or "")
        return Step(look, title, text, at_ms) if text else None
    match kind:
        case "tool.execution_start":
            return Step("tool", f"tool {_tool(event)}", _json(event.get("arguments")), at_ms)
        case "tool.execution_complete":
            look, title = ("tool", "result") if event.get("success") is True else ("bad", "result: failed")
            return Step(look, title, _result(event.get("tool_result")), at_ms, is_result=True)
        case "skill.invoked":
            return Step("tool", "skill loaded", "", at_ms)
        case _:
            return None


def _tool(event: Mapping[str, Any]) -> str:
    return str(event.get("tool_name") or "tool")


def _result(result: Any) -> str:
    content = result.get("content") if isinstance(result, Mapping) else result
    return content if isinstance(content, str) else _json(content)


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False, default=str)
