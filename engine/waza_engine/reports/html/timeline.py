"""Prepare what an agent did for the HTML reports: a lane with the time of each tool call, then the steps in order.

Of long transcripts, the end is shown, with the steps that failed checks point to and the calls that failed. The rest is
folded, and the fold says what is in it.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from waza_engine.model.trajectory import Trajectory, Usage

_MOST_MARKS = 500
"""With more events, the lane shows some of them."""
_SHORT_JSON = 100
_UNFOLDED = 30
"""Shorter transcripts are shown as they are."""
_START, _END_STEPS, _MOST_BAD = 1, 12, 10
"""The steps that stay unfolded at the start and at the end, and the number of failed ones."""
_SHORTEST_FOLD = 3
_MOST_FOLDED = 200
"""A fold has at most so many steps; more would make the page slow."""
_MESSAGES = {
    "user.message": ("user", "user"),
    "assistant.message": ("agent", "agent"),
    "assistant.reasoning": ("reasoning", "agent"),
    "session.error": ("error", "bad"),
}
_CALL, _END, _SKILL = "tool.execution_start", "tool.execution_complete", "skill.invoked"
_OTHERS = frozenset([_CALL, _END, _SKILL])


@dataclass(frozen=True, slots=True)
class Step:
    """One step; `look` is its CSS class, `at_ms` None where the recording has no times.

    `number` counts the steps from 1; links to the step contain it.
    """

    number: int
    look: str
    title: str
    text: str
    at_ms: int | None
    is_result: bool = False


@dataclass(frozen=True, slots=True)
class Fold:
    """Steps that are folded. `summary` says what they are, `left_out` counts those that the page does not have."""

    summary: str
    steps: list[Step]
    left_out: int


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
    """What an agent did: single steps, and folds of several. `count` is the number of all steps.

    `readers` are the graders whose failed checks point to a step, by the step's number.
    """

    parts: list[Step | Fold]
    readers: Mapping[int, Sequence[str]]
    count: int
    lane: Lane | None
    duration_ms: int
    usage: Usage | None


def timeline(trajectory: Trajectory, readers: Mapping[int, Sequence[str]] | None = None) -> Timeline | None:
    """Return the steps, or None when none were recorded. Steps that checks point to (`readers`) are never folded."""
    readers = readers or {}
    steps = [_step(number, event) for number, event in numbered_events(trajectory)]
    if not steps:
        return None
    return Timeline(
        list(_parts(steps, readers)),
        readers,
        len(steps),
        _lane(trajectory.transcript, trajectory.duration_ms),
        trajectory.duration_ms,
        trajectory.session.usage if trajectory.session else None,
    )


def numbered_events(trajectory: Trajectory) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the events that are steps, with their numbers."""
    shown = (it for it in trajectory.transcript if str(it.get("type")) in _OTHERS or _message(it))
    return list(enumerate(shown, 1))


def _parts(steps: Sequence[Step], readers: Mapping[int, Sequence[str]]) -> Iterator[Step | Fold]:
    shown = _unfolded(steps, readers)
    for is_shown, group in groupby(enumerate(steps), key=lambda it: it[0] in shown):
        found = [it for _, it in group]
        if is_shown or len(found) < _SHORTEST_FOLD:
            yield from found
        else:
            yield Fold(_summary(found), found[:_MOST_FOLDED], max(0, len(found) - _MOST_FOLDED))


def _unfolded(steps: Sequence[Step], readers: Mapping[int, Sequence[str]]) -> set[int]:
    """The indexes of the steps that matter most."""
    count = len(steps)
    if count <= _UNFOLDED:
        return set(range(count))
    bad = [index for index, it in enumerate(steps) if it.look == "bad"][-_MOST_BAD:]
    pointed_to = [index for index, it in enumerate(steps) if it.number in readers]
    # What led to such a step, and what came of it.
    near = {it + offset for it in [*bad, *pointed_to] for offset in (-1, 0, 1)}
    return {*range(_START), *near, *range(count - _END_STEPS, count)}


def _summary(steps: Sequence[Step]) -> str:
    counts = Counter(it.title for it in steps if not it.is_result)
    return ", ".join(
        f"{count} \u00d7 {title}" if count > 1 else title for title, count in counts.most_common(6)
    )


def _lane(transcript: Sequence[Mapping[str, Any]], duration_ms: int) -> Lane | None:
    """Place the events in time; None for recordings without times."""
    times = [it["at_ms"] for it in transcript if isinstance(it.get("at_ms"), int)]
    whole = max([duration_ms, *times])
    if not times or whole <= 0:
        return None
    ends = {it.get("tool_call_id"): it for it in transcript if it.get("type") == _END}
    timed = (it for it in transcript if isinstance(it.get("at_ms"), int))
    marks = [it for it in (_mark(it, ends, whole) for it in timed) if it is not None]
    return Lane(whole, marks[:: len(marks) // (_MOST_MARKS + 1) + 1])


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


def _message(event: Mapping[str, Any]) -> str:
    """The text of a message; "" for other events."""
    if str(event.get("type")) not in _MESSAGES:
        return ""
    return str(event.get("content") or event.get("message") or "")


def _step(number: int, event: Mapping[str, Any]) -> Step:
    kind, at = event["type"], event.get("at_ms")
    at_ms = at if isinstance(at, int) else None
    if kind in _MESSAGES:
        title, look = _MESSAGES[kind]
        return Step(number, look, title, _message(event), at_ms)
    if kind == _CALL:
        return Step(number, "tool", f"tool {_tool(event)}", _json(event.get("arguments")), at_ms)
    if kind == _SKILL:
        return Step(number, "tool", "skill loaded", "", at_ms)
    look, title = ("tool", "result") if event.get("success") is True else ("bad", "result: failed")
    return Step(number, look, title, _result(event.get("tool_result")), at_ms, is_result=True)


def _tool(event: Mapping[str, Any]) -> str:
    return str(event.get("tool_name") or "tool")


def _result(result: Any) -> str:
    content = result.get("content") if isinstance(result, Mapping) else result
    return content if isinstance(content, str) else _json(content)


def _json(value: Any) -> str:
    if value is None:
        return ""
    short = json.dumps(value, ensure_ascii=False, default=str)
    return (
        short if len(short) <= _SHORT_JSON else json.dumps(value, indent=2, ensure_ascii=False, default=str)
    )
