"""The events of a trial in vally's format, recorded by vally or made from our recordings.

See docs/reference/vally.md, section 10.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from waza_engine.graders.base import GradingContext
from waza_engine.model.trajectory import SkillInvocation

Event = Mapping[str, Any]

TEXTS = {
    "user.message": "user_message",
    "assistant.message": "assistant_message",
    "assistant.reasoning": "reasoning",
}
TURN_MARKS = {"assistant.turn_start": "turn_start", "assistant.turn_end": "turn_end"}
"""vally's names for events of our transcripts: those with a text, and those without data."""


def events_of(context: GradingContext) -> Sequence[Event]:
    """Return all events of the trial, in order.

    Raises:
        GradeError: the executor of the recording did not record tool calls or skills.

    """
    if context.events is not None:
        return context.events
    events = list(_transcript_events(context, context.skills))
    if not any(it["type"] == "tool_call" for it in events):
        events = _with_calls(events, list(_call_events(context)))
    if not any(it["type"] == "skill_activation" for it in events):
        events = [*(_event("skill_activation", name=it.name, path=it.path) for it in context.skills), *events]
    return _with_final_events(events, context)


def message_events_of(context: GradingContext) -> Sequence[Event]:
    """Return messages, errors and turn events, which every executor records."""
    if context.events is not None:
        return context.events
    return _with_final_events(list(_transcript_events(context, ())), context)


def system_events_of(context: GradingContext) -> Sequence[Event] | None:
    """Return the events if the recording keeps system events; None if its executor does not record them.

    vally's executors record them since 0.10. Ours do not, so their absence from a transcript says nothing.
    """
    if context.events is not None:
        return context.events
    events = [it for it in _transcript_events(context, ()) if it["type"] == "system"]
    return events or None


def data_of(event: Event) -> Mapping[str, Any]:
    """Return the `data` of an event; empty if it has none."""
    data = event.get("data")
    return data if isinstance(data, Mapping) else {}


def of_type(events: Sequence[Event], kind: str) -> list[Mapping[str, Any]]:
    """Return the data of all events of a type."""
    return [data_of(it) for it in events if it.get("type") == kind]


def last_message(events: Sequence[Event]) -> str:
    """Return the last non-empty message of the agent."""
    contents = (it.get("content") for it in reversed(of_type(events, "assistant_message")))
    return next((it for it in contents if isinstance(it, str) and it.strip()), "")


def _transcript_events(context: GradingContext, known_skills: Iterable[SkillInvocation]) -> Iterator[Event]:
    has_marks = any(it.get("type") == "skill.invoked" for it in context.transcript)
    skills = iter(known_skills if has_marks else ())
    names: dict[Any, Any] = {}
    for it in context.transcript:
        match kind := it.get("type"):
            case "tool.execution_start":
                names[it.get("tool_call_id")] = it.get("tool_name")
                call = {"toolName": it.get("tool_name"), "toolCallId": it.get("tool_call_id")}
                call |= {"turnId": it["turn_id"]} if it.get("turn_id") is not None else {}
                yield _event("tool_call", **call, arguments=it.get("arguments"))
            case "tool.execution_complete":
                call_id = it.get("tool_call_id")
                result = {"success": it.get("success") is True, "result": it.get("tool_result")}
                yield _event("tool_result", toolName=names.get(call_id), toolCallId=call_id, **result)
            case "session.error":
                yield _event("error", message=it.get("message") or "")
            case "system.event":
                yield {"type": "system", "data": data_of(it)}
            case "skill.invoked":
                if skill := next(skills, None):
                    yield _event("skill_activation", name=skill.name, path=skill.path)
            case str() if kind in TEXTS:
                yield _event(TEXTS[kind], content=it.get("content") or "")
            case str() if kind in TURN_MARKS:
                yield _event(TURN_MARKS[kind])
            case _:
                pass


def _call_events(context: GradingContext) -> Iterator[Event]:
    """Yield the calls that are not in the transcript, with their results."""
    calls = [
        (it.tool_call_id, it.tool_name, it.args, it.result, it.success, bool(it.error))
        for it in context.tool_events
    ]
    if not calls and context.session is not None:
        calls = [
            (it.id, it.name, it.arguments, it.result, it.success, False) for it in context.session.tool_calls
        ]
    for number, (recorded_id, name, arguments, result, success, failed) in enumerate(calls):
        call_id = recorded_id or f"call-{number}"
        yield _event("tool_call", toolName=name, toolCallId=call_id, arguments=arguments)
        if success or failed or result is not None:
            yield _event("tool_result", toolName=name, toolCallId=call_id, success=success, result=result)


def _with_calls(events: list[Event], calls: list[Event]) -> list[Event]:
    """Insert the calls before the last message, which answers them."""
    messages = [index for index, it in enumerate(events) if it["type"] == "assistant_message"]
    at = messages[-1] if messages else len(events)
    return [*events[:at], *calls, *events[at:]]


def _with_final_events(events: list[Event], context: GradingContext) -> list[Event]:
    """Add events that our executors do not record: the answer, the agent's error, the end of the turn."""
    if context.output and not any(it["type"] == "assistant_message" for it in events):
        events.append(_event("assistant_message", content=context.output))
    errors = [it["data"]["message"] for it in events if it["type"] == "error"]
    if context.error and context.error not in errors:
        events.append(_event("error", message=context.error))
    elif not context.error and not any(it["type"] in {"turn_start", "turn_end"} for it in events):
        events.append(TURN_END)
    return events


def _event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


TURN_END: Event = _event("turn_end")
