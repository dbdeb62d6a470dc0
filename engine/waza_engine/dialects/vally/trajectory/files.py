"""Read the trajectory of one trial from a file: ATIF, or vally's own form.

See docs/reference/vally.md, sections 10.1 and 10.3.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.dialects.vally.trajectory.read import trajectory_of
from waza_engine.lib.timestamps import unix_seconds
from waza_engine.model.trajectory import Session, ToolCall, ToolEvent, Trajectory, Usage

_MESSAGES = {"user": "user.message", "agent": "assistant.message", "system": "system.message"}
_MOST_DEPTH = 8
_FAILED = frozenset(["error", "failed", "failure"])


def trajectory_in(data: Mapping[str, Any], name: str) -> Trajectory | None:
    """Return the trajectory in the data of a file; None if the file holds something else."""
    if str(data.get("schema_version")).startswith("ATIF-") and isinstance(data.get("steps"), list):
        return _atif(data, name)
    if isinstance(data.get("events"), list) and ("stimulus" in data or "metadata" in data):
        stimulus = data.get("stimulus")
        named = stimulus.get("name") if isinstance(stimulus, Mapping) else stimulus
        return trajectory_of(data, str(named or name))
    return None


def _atif(data: Mapping[str, Any], name: str) -> Trajectory:
    transcript = list(_events(data, _start(data), 0))
    starts = [it for it in transcript if it["type"] == "tool.execution_start"]
    ends = {it["tool_call_id"]: it for it in transcript if it["type"] == "tool.execution_complete"}
    messages = [it["content"] for it in transcript if it["type"] == "assistant.message"]
    agent = _map(data.get("agent"))
    session_id = str(data.get("session_id") or "")
    return Trajectory(
        task=name,
        model=str(agent.get("model_name") or ""),
        prompt=next((it["content"] for it in transcript if it["type"] == "user.message"), ""),
        output=next((it for it in reversed(messages) if it.strip()), ""),
        duration_ms=max((it["at_ms"] for it in transcript if "at_ms" in it), default=0),
        session_id=session_id,
        transcript=transcript,
        session=Session(
            tool_call_count=len(starts),
            tools_used=[it["tool_name"] for it in starts],
            tool_calls=[
                ToolCall(
                    id=it["tool_call_id"],
                    name=it["tool_name"],
                    arguments=it["arguments"] if isinstance(it["arguments"], dict) else {},
                )
                for it in starts
            ],
            usage=_usage(data),
            session_id=session_id,
        ),
        tool_events=[_tool_event(number, it, ends) for number, it in enumerate(starts, 1)],
    )


def _tool_event(number: int, start: Mapping[str, Any], ends: Mapping[str, Mapping[str, Any]]) -> ToolEvent:
    end = ends.get(start["tool_call_id"], {})
    return ToolEvent(
        sequence=number,
        tool_call_id=start["tool_call_id"],
        tool_name=start["tool_name"],
        args=start["arguments"],
        result=end.get("tool_result"),
        success=end.get("success") is True,
    )


def _events(data: Mapping[str, Any], start: float, depth: int) -> Iterator[dict[str, Any]]:
    """Yield the events of a trajectory, each with its time; those of a subagent follow the step that names it."""
    nested = {it.get("trajectory_id"): it for it in _maps(data.get("subagent_trajectories"))}
    for number, step in enumerate(_maps(data.get("steps")), 1):
        at = unix_seconds(str(step.get("timestamp") or ""))
        time = {"at_ms": max(round((at - start) * 1000), 0)} if at and start else {}
        for event in _step_events(step, number):
            yield {**event, **time}
        if depth < _MOST_DEPTH:
            for reference in _references(step):
                # Only once: references to one another would multiply.
                if (found := nested.pop(reference, None)) is not None:
                    yield from _events(found, start, depth + 1)


def _step_events(step: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
    if reasoning := step.get("reasoning_content"):
        yield {"type": "assistant.reasoning", "content": str(reasoning)}
    if text := _text(step.get("message")):
        kind = _MESSAGES.get(str(step.get("source")), "system.message")
        yield {"type": kind, "content": text, **_tokens(step)}
    ids: list[str] = []
    for place, call in enumerate(_maps(step.get("tool_calls"))):
        ids.append(str(call.get("tool_call_id") or f"step-{number}-{place}"))
        yield {
            "type": "tool.execution_start",
            "tool_call_id": ids[-1],
            "tool_name": str(call.get("function_name") or ""),
            "arguments": call.get("arguments"),
            **({} if text or place else _tokens(step)),
        }
    for place, result in enumerate(_maps(_map(step.get("observation")).get("results"))):
        known = ids[place] if place < len(ids) else ""
        extra = _map(result.get("extra"))
        failed = extra.get("is_error") is True or str(extra.get("status")).lower() in _FAILED
        yield {
            "type": "tool.execution_complete",
            "tool_call_id": str(result.get("source_call_id") or known),
            "success": not failed,
            "tool_result": {"content": _text(result.get("content"))},
        }


def _references(step: Mapping[str, Any]) -> Iterator[Any]:
    for result in _maps(_map(step.get("observation")).get("results")):
        named = result.get("subagent_trajectory_ref")
        for it in named if isinstance(named, list) else [named]:
            reference = it.get("trajectory_id") if isinstance(it, Mapping) else it
            if isinstance(reference, str):
                yield reference


def _start(data: Mapping[str, Any]) -> float:
    times = (unix_seconds(str(it.get("timestamp") or "")) for it in _maps(data.get("steps")))
    return next((it for it in times if it), 0.0)


def _usage(data: Mapping[str, Any]) -> Usage | None:
    """Return the tokens of the final metrics, or else the sum over the steps."""
    final = _map(data.get("final_metrics"))
    metrics = [_map(it.get("metrics")) for it in _maps(data.get("steps"))]

    def total(key: str) -> int:
        recorded = _count(final.get(f"total_{key}"))
        return sum(_count(it.get(key)) for it in metrics) if recorded == 0 else recorded

    turns = sum(it.get("source") == "agent" for it in _maps(data.get("steps")))
    if not final and not any(metrics):
        return None
    return Usage(
        turns=turns,
        input_tokens=total("prompt_tokens"),
        output_tokens=total("completion_tokens"),
        cache_read_tokens=total("cached_tokens"),
    )


def _tokens(step: Mapping[str, Any]) -> dict[str, int]:
    metrics = _map(step.get("metrics"))
    counts = {"input_tokens": metrics.get("prompt_tokens"), "output_tokens": metrics.get("completion_tokens")}
    return {key: _count(it) for key, it in counts.items() if it is not None}


def _count(value: Any) -> int:
    is_count = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return int(value) if is_count else 0


def _text(content: Any) -> str:
    """Return the text of a message; of its parts, images become a placeholder."""
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if isinstance(content, list) else ()
    return "".join(_part(it) for it in parts if isinstance(it, Mapping))


def _part(part: Mapping[str, Any]) -> str:
    return str(part.get("text") or "") if part.get("type") == "text" else "[image]"


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [it for it in value if isinstance(it, Mapping)] if isinstance(value, list) else []


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
