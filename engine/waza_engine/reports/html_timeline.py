"""What an agent did, in the HTML reports: a lane with the time of every tool call, then every step in order."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from waza_engine.reports.html_parts import seconds, text_block
from waza_engine.trajectory import Trajectory

_MOST_EVENTS = 500
_SAID = {
    "user.message": ("user", "user"),
    "assistant.message": ("agent", "agent"),
    "assistant.reasoning": ("reasoning", "agent"),
    "session.error": ("error", "bad"),
}
_START, _END = "tool.execution_start", "tool.execution_complete"


def timeline(trajectory: Trajectory) -> Iterator[str]:
    """The steps, folded; nothing when nobody recorded any."""
    items = [it for it in (_item(event) for event in trajectory.transcript[:_MOST_EVENTS]) if it]
    if not items:
        return
    usage = trajectory.session.usage if trajectory.session else None
    tokens = f", {usage.tokens:,} tokens in {usage.turns} turns" if usage else ""
    yield _lane(trajectory.transcript, trajectory.duration_ms)
    yield f"<details><summary>What the agent did: {len(items)} steps, {seconds(trajectory.duration_ms)}{tokens}</summary>"
    yield f'<ol class="timeline">{"".join(items)}</ol>'
    left = len(trajectory.transcript) - _MOST_EVENTS
    yield f'<p class="quiet">and {left} more events</p></details>' if left > 0 else "</details>"


def _lane(transcript: Sequence[Mapping[str, Any]], duration_ms: int) -> str:
    """Tool calls as bars, messages as ticks; "" for recordings that do not know when anything happened."""
    times = [it["at_ms"] for it in transcript if isinstance(it.get("at_ms"), int)]
    whole = max([duration_ms, *times])
    if not times or whole <= 0:
        return ""
    ends = {it.get("tool_call_id"): it for it in transcript if it.get("type") == _END}
    marks = [_mark(it, ends, whole) for it in transcript[:_MOST_EVENTS] if isinstance(it.get("at_ms"), int)]
    return f'<div class="lane" title="{seconds(whole)}">{"".join(marks)}</div>'


def _mark(event: Mapping[str, Any], ends: Mapping[Any, Mapping[str, Any]], whole: int) -> str:
    at = event["at_ms"]
    match event.get("type"):
        case "tool.execution_start":
            end = ends.get(event.get("tool_call_id"), {})
            stop = end["at_ms"] if isinstance(end.get("at_ms"), int) else whole
            name = escape(str(event.get("tool_name") or "tool"))
            kind = "" if end.get("success") is True else ' class="bad"'
            place = f"left:{at / whole * 100:.2f}%;width:{max(stop - at, 0) / whole * 100:.2f}%"
            return f'<i{kind} style="{place}" title="{name}, {seconds(stop - at)}">{name}</i>'
        case "assistant.message" | "user.message":
            kind = ' class="user"' if event["type"] == "user.message" else ""
            return f'<u{kind} style="left:{at / whole * 100:.2f}%"></u>'
        case _:
            return ""


def _item(event: Mapping[str, Any]) -> str:
    kind = str(event.get("type") or "")
    at = event.get("at_ms")
    time = f"<time>{seconds(at)}</time>" if isinstance(at, int) else ""
    if kind in _SAID:
        word, look = _SAID[kind]
        told = str(event.get("content") or event.get("message") or "")
        return _step(look, f'<span class="kind">{word}</span>{time}{text_block(told)}') if told else ""
    match kind:
        case "tool.execution_start":
            name = escape(str(event.get("tool_name") or "tool"))
            arguments = text_block(_json(event.get("arguments")))
            return _step("tool", f'<span class="kind">tool {name}</span>{time}{arguments}')
        case "tool.execution_complete":
            is_good = event.get("success") is True
            word = "result" if is_good else "result: failed"
            return _step(
                "tool" if is_good else "bad", f"{word}{time}{text_block(_result(event.get('tool_result')))}"
            )
        case "skill.invoked":
            return _step("tool", f'<span class="kind">skill loaded</span>{time}')
        case _:
            return ""


def _step(look: str, inner: str) -> str:
    return f'<li class="{look}">{inner}</li>'


def _result(result: Any) -> str:
    content = result.get("content") if isinstance(result, Mapping) else result
    return content if isinstance(content, str) else _json(content)


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False, default=str)
