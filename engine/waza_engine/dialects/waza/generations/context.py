"""The grading context as each generation of waza has it once it has read a recording back.

waza reads records into fixed shapes, and what has no place there is lost (docs/reference/waza-graders.md, sections 3.2, 13.10 and
13.11). The Python generation handed its transcript over as it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from waza_engine.graders.context import GradingContext
from waza_engine.model.trajectory import DIGEST_ARGUMENTS

_EVENT_KEYS = {
    "user.message": ("content",),
    "assistant.message": ("content",),
    "session.error": ("message",),
    "tool.execution_start": ("tool_call_id", "tool_name", "arguments"),
    "tool.execution_complete": ("tool_call_id", "success", "tool_result"),
    "tool.execution_partial_result": ("tool_call_id",),
}
"""What is left of an event beside its type when it was read back from JSON."""


def waza_context(
    data: Mapping[str, Any], meaning: str, read: Callable[[Any], GradingContext]
) -> GradingContext:
    """The context that a JSON object describes, for the graders of a generation.

    Raises:
        ValueError: a member has the wrong type.

    """
    members = dict(data)
    if "session" in members:
        members["session"] = _digest(members["session"])
    context = read(members)
    if meaning == "PY":
        return context
    # Only the Python generation had an outcome, waza leaves it empty (docs/reference/waza-graders.md, section 3).
    return replace(context, outcome={}, transcript=[_event(it) for it in context.transcript])


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("type", *_EVENT_KEYS.get(str(event.get("type")), ()))
    return {key: event[key] for key in kept if key in event}


def _digest(session: Any) -> Any:
    """The session digest with the arguments of its calls as waza keeps them."""
    if not isinstance(session, Mapping) or not isinstance(session.get("tool_calls"), list):
        return session
    calls = [
        {**it, "arguments": _arguments(it.get("arguments"))} if isinstance(it, Mapping) else it
        for it in session["tool_calls"]
    ]
    return {**session, "tool_calls": calls}


def _arguments(arguments: Any) -> dict[str, str]:
    """The five known arguments: names in any case, values that are no text are dropped, others are lost."""
    if not isinstance(arguments, Mapping):
        return {}
    known = {key.lower(): value for key, value in arguments.items() if isinstance(value, str)}
    return {name: known[name] for name in DIGEST_ARGUMENTS if name in known}
