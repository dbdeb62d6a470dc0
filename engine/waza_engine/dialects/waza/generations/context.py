"""Build the grading context that a generation of waza gets from a recording.

waza reads recordings into fixed structures and loses everything else (docs/reference/waza-graders.md, sections 3.2,
13.10 and 13.11). The Python generation passed its transcript on unchanged.
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
"""The members of an event, besides its type, that waza reads back from JSON."""


def waza_context(
    data: Mapping[str, Any], meaning: str, read: Callable[[Any], GradingContext]
) -> GradingContext:
    """Build the context for the graders of a generation from a JSON object.

    Raises:
        ValueError: a member has the wrong type.

    """
    members = dict(data)
    if "session" in members:
        members["session"] = _digest(members["session"])
    context = read(members)
    if meaning == "PY":
        return context
    # Only the Python generation had an outcome. waza leaves it empty (docs/reference/waza-graders.md, section 3).
    return replace(context, outcome={}, transcript=[_event(it) for it in context.transcript])


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("type", *_EVENT_KEYS.get(str(event.get("type")), ()))
    return {key: event[key] for key in keys if key in event}


def _digest(session: Any) -> Any:
    """Return the session digest with only the call arguments that waza keeps."""
    if not isinstance(session, Mapping) or not isinstance(session.get("tool_calls"), list):
        return session
    calls = [
        {**call, "arguments": _arguments(call.get("arguments"))} if isinstance(call, Mapping) else call
        for call in session["tool_calls"]
    ]
    return {**session, "tool_calls": calls}


def _arguments(arguments: Any) -> dict[str, str]:
    """Return the five known arguments: names are case-insensitive, values must be strings."""
    if not isinstance(arguments, Mapping):
        return {}
    known = {key.lower(): value for key, value in arguments.items() if isinstance(value, str)}
    return {name: known[name] for name in DIGEST_ARGUMENTS if name in known}
