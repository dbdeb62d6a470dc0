"""The events of a trial in vally's form, recorded by vally or made from a recording of ours.

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
"""Events of our transcripts, and what vally calls them: those that are a text, and those that say nothing more."""


def events_of(context: GradingContext) -> Sequence[Event]:
    """All events of the trial, in order.

    Raises:
        GradeError: the executor of the recording does not know its tool calls or skills.

    """
    if context.events is not None:
        return context.events
    told = list(_of_transcript(context, context.skills))
    if not any(it["type"] == "tool_call" for it in told):
        told = _with_calls(told, list(_of_calls(context)))
    if not any(it["type"] == "skill_activation" for it in told):
        told = [*(_event("skill_activation", name=it.name, path=it.path) for it in context.skills), *told]
    return _with_ends(told, context)


def spoken_events_of(context: GradingContext) -> Sequence[Event]:
    """Messages, errors and marks of turns: what every executor knows, even one that cannot tell of calls and skills."""
    if context.events is not None:
        return context.events
    return _with_ends(list(_of_transcript(context, ())), context)


def data_of(event: Event) -> Mapping[str, Any]:
    """The `data` of an event; empty when it has none."""
    data = event.get("data")
    return data if isinstance(data, Mapping) else {}


def of_type(events: Sequence[Event], kind: str) -> list[Mapping[str, Any]]:
    """The data of all events of a type."""
    return [data_of(it) for it in events if it.get("type") == kind]


def last_message(events: Sequence[Event]) -> str:
    """The last message of the agent that is not empty."""
    contents = (it.get("content") for it in reversed(of_type(events, "assistant_message")))
    return next((it for it in contents if isinstance(it, str) and it.strip()), "")


def _of_transcript(context: GradingContext, known_skills: Iterable[SkillInvocation]) -> Iterator[Event]:
    has_marks = any(it.get("type") == "skill.invoked" for it in context.transcript)
    skills = iter(known_skills if has_marks else ())
    names: dict[Any, Any] = {}
    for it in context.transcript:
        match kind := it.get("type"):
            case "tool.execution_start":
                names[it.get("tool_call_id")] = it.get("tool_name")
                call = {"toolName": it.get("tool_name"), "toolCallId": it.get("tool_call_id")}
                yield _event("tool_call", **call, arguments=it.get("arguments"))
            case "tool.execution_complete":
                identity = it.get("tool_call_id")
                result = {"success": it.get("success") is True, "result": it.get("tool_result")}
                yield _event("tool_result", toolName=names.get(identity), toolCallId=identity, **result)
            case "session.error":
                yield _event("error", message=it.get("message") or "")
            case "skill.invoked":
                if skill := next(skills, None):
                    yield _event("skill_activation", name=skill.name, path=skill.path)
            case str() if kind in TEXTS:
                yield _event(TEXTS[kind], content=it.get("content") or "")
            case str() if kind in TURN_MARKS:
                yield _event(TURN_MARKS[kind])
            case _:
                pass


def _of_calls(context: GradingContext) -> Iterator[Event]:
    """The calls that stand in no transcript, each with its result if it has one."""
    calls = [
        (it.tool_call_id, it.tool_name, it.args, it.result, it.success, bool(it.error))
        for it in context.tool_events
    ]
    if not calls and context.session is not None:
        calls = [
            (it.id, it.name, it.arguments, it.result, it.success, False) for it in context.session.tool_calls
        ]
    for number, (identity, name, arguments, result, success, failed) in enumerate(calls):
        known = identity or f"call-{number}"
        yield _event("tool_call", toolName=name, toolCallId=known, arguments=arguments)
        if success or failed or result is not None:
            yield _event("tool_result", toolName=name, toolCallId=known, success=success, result=result)


def _with_calls(told: list[Event], calls: list[Event]) -> list[Event]:
    """The calls come before the last message: that is the answer to them."""
    messages = [index for index, it in enumerate(told) if it["type"] == "assistant_message"]
    at = messages[-1] if messages else len(told)
    return [*told[:at], *calls, *told[at:]]


def _with_ends(told: list[Event], context: GradingContext) -> list[Event]:
    """What our executors know without an event: the answer, the agent's error, that the turn came to its end."""
    if context.output and not any(it["type"] == "assistant_message" for it in told):
        told.append(_event("assistant_message", content=context.output))
    errors = [it["data"]["message"] for it in told if it["type"] == "error"]
    if context.error and context.error not in errors:
        told.append(_event("error", message=context.error))
    elif not context.error and not any(it["type"] in {"turn_start", "turn_end"} for it in told):
        told.append(TURN_END)
    return told


def _event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


TURN_END: Event = _event("turn_end")
