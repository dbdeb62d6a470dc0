"""Convert a vally trajectory into one of ours, for graders, comparisons and replay.

See docs/reference/vally.md, section 10.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_engine.dialects.vally.trajectory.events import TEXTS, TURN_MARKS, data_of, of_type
from waza_engine.lib.timestamps import unix_seconds
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, ToolEvent, Trajectory, Usage

_TEXTS = {theirs: ours for ours, theirs in TEXTS.items()}
_WITHOUT_TEXT = {theirs: ours for ours, theirs in TURN_MARKS.items()} | {"skill_activation": "skill.invoked"}


def trajectory_of(data: Mapping[str, Any], task: str) -> Trajectory:
    """Return the trajectory. Data that vally does not record (workspace files) stays empty."""
    events = [it for it in data.get("events") or () if isinstance(it, Mapping)]
    metadata, metrics = _map(data.get("metadata")), _map(data.get("metrics"))
    calls = list(_calls(events))
    session = Session(
        tool_call_count=len(calls),
        tools_used=[it.tool_name for it in calls],
        tool_calls=[
            ToolCall(
                id=it.tool_call_id,
                name=it.tool_name,
                arguments=it.args if isinstance(it.args, dict) else {},
                result=it.result,
                success=it.success,
            )
            for it in calls
        ],
        usage=_usage(events, metrics),
        session_id=str(metadata.get("sessionID") or ""),
    )
    return Trajectory(
        task=task,
        model=str(metadata.get("model") or ""),
        prompt=_prompt(data, events),
        output=str(data.get("output") or ""),
        error="\n".join(str(it.get("message") or "") for it in of_type(events, "error"))
        or (str(data.get("endReason")) if data.get("endReason") else ""),
        duration_ms=_duration_ms(metrics, metadata),
        session_id=str(metadata.get("sessionID") or ""),
        transcript=[
            {**it, **at} for event, at in zip(events, _times(events), strict=True) if (it := _entry(event))
        ],
        session=session,
        tool_events=calls,
        skills=[
            SkillInvocation(name=str(it.get("name") or ""), path=str(it.get("path") or ""))
            for it in of_type(events, "skill_activation")
        ],
        artifact_dir=str(data.get("artifactDir") or ""),
        patch=data["diff"] if isinstance(data.get("diff"), str) else None,
    )


def _duration_ms(metrics: Mapping[str, Any], metadata: Mapping[str, Any]) -> int:
    """Return the recorded duration, or else the time from start to end; 0 if it is unknown."""
    recorded = metrics.get("wallTimeMs")
    if isinstance(recorded, int | float) and not isinstance(recorded, bool):
        return int(recorded)
    started, completed = (unix_seconds(str(metadata.get(it))) for it in ("startedAt", "completedAt"))
    return max(int((completed - started) * 1000), 0) if started and completed else 0


def _times(events: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """Return the time of each event since the first one; nothing if they all have the same, as in our own files."""
    times = [unix_seconds(str(it.get("timestamp"))) for it in events]
    known = [it for it in times if it]
    if len(set(known)) < 2:
        return [{} for _ in events]
    start = min(known)
    return [{"at_ms": round((it - start) * 1000)} if it else {} for it in times]


def _entry(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the event in our transcript format; None if there is no equivalent."""
    kind, data = str(event.get("type")), data_of(event)
    call = {"tool_call_id": data.get("toolCallId"), "tool_name": data.get("toolName")}
    match kind:
        case "tool_call":
            turn = data.get("turnId", event.get("turnId"))
            call |= {} if turn is None else {"turn_id": turn}
            return {"type": "tool.execution_start", **call, "arguments": data.get("arguments")}
        case "tool_result":
            result = {"success": data.get("success") is True, "tool_result": data.get("result")}
            return {"type": "tool.execution_complete", **call, **result}
        case "system":
            return {"type": "system.event", "data": dict(data)}
        case "error":
            return {"type": "session.error", "message": data.get("message") or ""}
        case _ if kind in _TEXTS:
            return {"type": _TEXTS[kind], "content": data.get("content") or ""}
        case _:
            return {"type": _WITHOUT_TEXT[kind]} if kind in _WITHOUT_TEXT else None


def _calls(events: Sequence[Mapping[str, Any]]) -> Iterator[ToolEvent]:
    ends = {it.get("toolCallId"): it for it in of_type(events, "tool_result")}
    turn = 0
    for number, event in enumerate(events, 1):
        data = data_of(event)
        turn += event.get("type") == "user_message"
        if event.get("type") == "tool_call":
            end = ends.get(data.get("toolCallId"), {})
            yield ToolEvent(
                turn=max(turn, 1),
                sequence=number,
                tool_call_id=data.get("toolCallId"),
                tool_name=data.get("toolName"),
                args=data.get("arguments"),
                result=end.get("result"),
                success=end.get("success") is True,
            )


def _usage(events: Sequence[Mapping[str, Any]], metrics: Mapping[str, Any]) -> Usage | None:
    recorded = _map(metrics.get("tokenUsage"))
    usages = [recorded] if recorded else of_type(events, "token_usage")
    if not usages and "turnCount" not in metrics:
        return None

    def total(key: str) -> float:
        return sum(it.get(key) or 0 for it in usages if isinstance(it.get(key) or 0, int | float))

    return Usage.model_validate(
        {
            "turns": metrics.get("turnCount") or 0,
            "input_tokens": total("inputTokens") or (total("totalTokens") - total("outputTokens")),
            "output_tokens": total("outputTokens"),
            "cache_read_tokens": total("cacheReadTokens"),
            "cache_write_tokens": total("cacheWriteTokens"),
        }
    )


def _prompt(data: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> str:
    messages = [str(it.get("content") or "") for it in of_type(events, "user_message")]
    return str(_map(data.get("stimulus")).get("prompt") or "") or next(iter(messages), "")


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
