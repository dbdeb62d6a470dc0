"""The grading context from JSON: what a recording looks like once waza has read it back.

See docs/reference/grade-batch.md.

waza reads records into fixed shapes, and what has no place there is lost (docs/reference/waza-graders.md,
sections 3.2, 13.10 and 13.11). The Python generation handed its transcript over as it was.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from waza_engine.graders.base import GradingContext
from waza_engine.graders.registry import OTHER_DIALECTS
from waza_engine.judges.base import Judge
from waza_engine.judges.scripted import scripted_judge
from waza_engine.misfits import first_words
from waza_engine.trajectory import DIGEST_ARGUMENTS, Session, SkillInvocation, ToolEvent
from waza_engine.values import Flag, Integer, ListOf, Text, TextMap

_EVENT_KEYS = {
    "user.message": ("content",),
    "assistant.message": ("content",),
    "session.error": ("message",),
    "tool.execution_start": ("tool_call_id", "tool_name", "arguments"),
    "tool.execution_complete": ("tool_call_id", "success", "tool_result"),
    "tool.execution_partial_result": ("tool_call_id",),
}
"""What is left of an event beside its type when it was read back from JSON."""


class InputError(ValueError):
    """The JSON is not of the documented shape; the text says where."""


class _Context(BaseModel):
    """The members of a context, in their types."""

    model_config = ConfigDict(extra="ignore")

    output: Text = ""
    outcome: dict[str, Any] | None = None
    transcript: ListOf[dict[str, Any]] = []
    session: Session | None = None
    tool_events: ListOf[ToolEvent] = []
    skills: ListOf[Text | SkillInvocation] = []
    prompt: Text | None = None
    task: dict[str, Any] | None = None
    duration_ms: Integer = 0
    captured_files: TextMap = {}
    no_workspace: Flag = False
    session_id: Text = ""
    baseline_output: Text = ""
    output_present: Flag = False


def grading_context(
    data: Any, *, workspace_dir: Path | None, process_dir: Path, generation: str
) -> GradingContext:
    """The grading context that a JSON object describes.

    Raises:
        InputError: a member has the wrong type.

    """
    if not isinstance(data, Mapping):
        raise InputError("'context' must be an object")
    members = dict(data)
    if "session" in members and generation not in OTHER_DIALECTS:
        members["session"] = _digest(members["session"])
    try:
        read = _Context.model_validate(members)
        judge = scripted_judge(data)
        context = _as_context(read, data, generation, workspace_dir, process_dir, judge)
        return _in_dialect(context, data, generation)
    except ValidationError as error:
        raise InputError(f"context.{first_words(error)}") from error
    except ValueError as error:
        raise InputError(str(error)) from error


def _in_dialect(context: GradingContext, data: Mapping[str, Any], generation: str) -> GradingContext:
    """The context with what only another dialect knows of; `compared` is a context of its own."""
    if generation != "VALLY":
        return context
    # Imported late: waza's contexts need none of it.
    from waza_engine.vally.context_input import with_vally_members

    compared = data.get("compared")
    other = (
        grading_context(compared, workspace_dir=None, process_dir=context.process_dir, generation=generation)
        if compared is not None
        else None
    )
    return replace(with_vally_members(context, data), compared=other)


def _as_context(
    read: _Context,
    data: Mapping[str, Any],
    generation: str,
    workspace_dir: Path | None,
    process_dir: Path,
    judge: Judge,
) -> GradingContext:
    keeps_events = generation == "PY" or generation in OTHER_DIALECTS
    return GradingContext(
        output=read.output,
        # Only the Python generation had an outcome, waza leaves it empty (docs/reference/waza-graders.md, section 3).
        outcome=(read.outcome or {}) if generation == "PY" else {},
        transcript=read.transcript if keeps_events else [_event(it) for it in read.transcript],
        session=read.session,
        tool_events=read.tool_events,
        skills=[SkillInvocation(name=it) if isinstance(it, str) else it for it in read.skills],
        prompt=read.prompt if data.get("prompt") is not None else None,
        task=read.task if read.task is not None else {"id": "t1"},
        duration_ms=read.duration_ms,
        workspace_dir=None if read.no_workspace else workspace_dir,
        captured_files={path: text.encode() for path, text in read.captured_files.items()},
        process_dir=process_dir,
        session_id=read.session_id,
        baseline_output=read.baseline_output,
        output_present=read.output_present,
        judge=judge,
    )


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
