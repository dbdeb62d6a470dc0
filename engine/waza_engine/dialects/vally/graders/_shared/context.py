"""The members of a grading context that only vally has, from JSON: an addition to the batch contract.

`trajectory` is a whole trajectory of vally (docs/reference/vally.md, section 10.1), whose parts the other
members override: `output`, `events`, `metrics`, `workspace_status`. Beside it stand `error`, `rubric`,
`diff`, `baseline_files` ({path: text}), `judge_model`, and `compared`, the context of the trial that
`pairwise` compares with. Nobody waits between two questions to a scripted judge.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from waza_engine.dialects.vally.trajectory.events import last_message
from waza_engine.graders.base import GradingContext
from waza_engine.model.fields import IfGiven, ListOf, Text, TextMap

_Object = dict[str, Any]


class _Trajectory(BaseModel):
    model_config = ConfigDict(extra="ignore")

    output: Text | None = None
    events: ListOf[_Object] | None = None
    metrics: _Object | None = None
    workspaceStatus: Text = "local"  # noqa: N815  # vally's name
    stimulus: _Object = {}


class _Members(BaseModel):
    model_config = ConfigDict(extra="ignore")

    trajectory: _Trajectory | None = None
    output: Text | None = None
    events: IfGiven[list[_Object]] = None
    metrics: IfGiven[_Object] = None
    workspace_status: Text = ""
    error: Text = ""
    rubric: ListOf[Text] = []
    diff: IfGiven[Text] = None
    baseline_files: IfGiven[TextMap] = None
    judge_model: Text = ""


def vally_context(
    data: Mapping[str, Any], meaning: str, read: Callable[[Any], GradingContext]
) -> GradingContext:
    """The context that a JSON object describes; `compared` is a context of its own.

    Raises:
        ValueError: a member has the wrong type.

    """
    context = replace(_with_vally_members(read(data), data), outcome={})
    compared = data.get("compared")
    if compared is None:
        return context
    other = vally_context(compared, meaning, read) if isinstance(compared, Mapping) else read(compared)
    return replace(context, compared=replace(other, workspace_dir=None))


def _with_vally_members(context: GradingContext, data: Mapping[str, Any]) -> GradingContext:
    """The context with what the JSON object says for vally's graders.

    Raises:
        ValidationError: a member has the wrong type.

    """
    read = _Members.model_validate(dict(data))
    told = read.trajectory or _Trajectory()
    events = told.events if read.events is None else read.events
    prompt = told.stimulus.get("prompt")
    rubric = read.rubric or [str(it) for it in told.stimulus.get("rubric") or ()]
    return replace(
        context,
        output=_output(read, told, events),
        prompt=context.prompt if context.prompt is not None or not isinstance(prompt, str) else prompt,
        events=events,
        metrics=told.metrics if read.metrics is None else read.metrics,
        error=read.error,
        rubric=tuple(rubric),
        workspace_status=read.workspace_status or told.workspaceStatus,
        baseline_files=None
        if read.baseline_files is None
        else {path: text.encode("utf-8", "surrogatepass") for path, text in read.baseline_files.items()},
        diff=read.diff,
        judge_model=read.judge_model,
        sleep=_not_at_all,
    )


def _output(read: _Members, told: _Trajectory, events: list[_Object] | None) -> str:
    """The output as it was given, else the agent's last message."""
    given = told.output if read.output is None else read.output
    return given if given is not None else last_message(events or [])


def _not_at_all(_seconds: float) -> None:
    return None
