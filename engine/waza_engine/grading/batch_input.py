"""Reads a grading context from JSON (docs/reference/grade-batch.md), as the dialect's graders need it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from waza_engine.graders.base import GradingContext
from waza_engine.judges.scripted import CONTEXT_MEMBERS, scripted_judge
from waza_engine.lib.spelling import nearest
from waza_engine.model.fields import Flag, Integer, ListOf, Text, TextMap
from waza_engine.model.pydantic_messages import first_problem_text
from waza_engine.model.trajectory import Session, SkillInvocation, ToolEvent
from waza_engine.recognition.dialect import Dialect
from waza_engine.recognition.recognise import dialect_for, dialects, load_object


class InputError(ValueError):
    """The JSON does not have the documented shape; the message says where."""


class _Context(BaseModel):
    """The members of a context and their types."""

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
    data: Any,
    *,
    workspace_dir: Path | None,
    process_dir: Path,
    meaning: str = "",
    artifact_dir: Path | None = None,
    strict: bool = False,
) -> GradingContext:
    """Return the grading context that a JSON object describes; `meaning` is as for `grade_entry`.

    Raises:
        InputError: a member has the wrong type, or with `strict` nothing reads it.

    """
    if strict:
        _refuse_unknown(data, meaning)

    def read(members: Any) -> GradingContext:
        return replace(_read(members, workspace_dir, process_dir), artifact_dir=artifact_dir)

    in_dialect = dialect_for(meaning).grading_context
    try:
        if not in_dialect or not isinstance(data, Mapping):
            return read(data)
        context: GradingContext = load_object(in_dialect)(data, meaning, read)
    except ValidationError as error:
        raise InputError(f"context.{first_problem_text(error)}") from error
    except ValueError as error:
        raise InputError(str(error)) from error
    return context


def _refuse_unknown(data: Any, meaning: str, where: str = "context") -> None:
    """Refuse members that nothing reads: they were meant to change a verdict."""
    if not isinstance(data, Mapping):
        return
    shared = {*_Context.model_fields, *CONTEXT_MEMBERS}
    known = shared | _members_of(dialect_for(meaning))
    for name in data:
        if name not in known:
            others = [it.name for it in dialects() if name in _members_of(it)]
            close = nearest(str(name), sorted(known))[:1]
            hint = f"Did you mean '{close[0]}'?" if close else f"Known members: {', '.join(sorted(known))}"
            hint = f"Only contexts of {others[0]} have it" if others else hint
            raise InputError(f"{where}: unknown member '{name}'. {hint}")
    if "compared" in known:
        _refuse_unknown(data.get("compared"), meaning, f"{where}.compared")


def _members_of(dialect: Dialect) -> set[str]:
    return set(load_object(dialect.context_members)()) if dialect.context_members else set()


def _read(data: Any, workspace_dir: Path | None, process_dir: Path) -> GradingContext:
    if not isinstance(data, Mapping):
        raise InputError("'context' must be an object")
    read = _Context.model_validate(dict(data))
    return GradingContext(
        output=read.output,
        outcome=read.outcome or {},
        transcript=read.transcript,
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
        judge=scripted_judge(data),
    )
