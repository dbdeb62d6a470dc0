"""Read the members of a grading context that only vally has; they extend the batch contract.

`trajectory` is a complete vally trajectory (docs/reference/vally.md, section 10.1). `output`, `events`, `metrics` and
`workspace_status` override its parts. The other members are `error`, `rubric`, `diff`, `artifact_dir` (a directory below
the working directory or the workspace), `baseline_files` ({path: text}), `judge_model`, and `compared`, the context of
the other trial for `pairwise`. Judge calls are retried without a delay, because the judge is scripted.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from waza_engine.dialects.vally.trajectory.events import last_message
from waza_engine.graders.base import GradingContext
from waza_engine.lib.paths import is_inside
from waza_engine.model.fields import IfGiven, ListOf, Text, TextMap

_Object = dict[str, Any]


class _Trajectory(BaseModel):
    model_config = ConfigDict(extra="ignore")

    output: Text | None = None
    events: ListOf[_Object] | None = None
    metrics: _Object | None = None
    workspaceStatus: Text = "local"  # noqa: N815  # vally's name
    artifactDir: Text = ""  # noqa: N815  # vally's name
    diff: IfGiven[Text] = None
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
    artifact_dir: Text = ""
    baseline_files: IfGiven[TextMap] = None
    judge_model: Text = ""


def context_members() -> tuple[str, ...]:
    """Return the members that contexts of vally have besides those of all contexts."""
    return (*_Members.model_fields, "compared")


def vally_context(
    data: Mapping[str, Any], meaning: str, read: Callable[[Any], GradingContext]
) -> GradingContext:
    """Return the context that a JSON object describes; `compared` is itself a context.

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
    """Return the context with the members for vally's graders.

    Raises:
        ValidationError: a member has the wrong type.

    """
    read = _Members.model_validate(dict(data))
    trajectory = read.trajectory or _Trajectory()
    events = trajectory.events if read.events is None else read.events
    prompt = trajectory.stimulus.get("prompt")
    rubric = read.rubric or [str(it) for it in trajectory.stimulus.get("rubric") or ()]
    return replace(
        context,
        output=_output(read, trajectory, events),
        prompt=context.prompt if context.prompt is not None or not isinstance(prompt, str) else prompt,
        events=events,
        metrics=trajectory.metrics if read.metrics is None else read.metrics,
        error=read.error,
        rubric=tuple(rubric),
        workspace_status=read.workspace_status or trajectory.workspaceStatus,
        baseline_files=None
        if read.baseline_files is None
        else {path: text.encode("utf-8", "surrogatepass") for path, text in read.baseline_files.items()},
        diff=trajectory.diff if read.diff is None else read.diff,
        artifact_dir=_artifact_dir(context, read.artifact_dir or trajectory.artifactDir),
        judge_model=read.judge_model,
        sleep=_no_sleep,
    )


def _output(read: _Members, trajectory: _Trajectory, events: list[_Object] | None) -> str:
    """Return the given output, or the agent's last message."""
    output = trajectory.output if read.output is None else read.output
    return output if output is not None else last_message(events or [])


def _artifact_dir(context: GradingContext, path: str) -> Path | None:
    """Return the given artifact directory, or the recorded one if it is below the directory of the process or the workspace.

    A recording comes from a file, so its path must not make us read files elsewhere.
    """
    if context.artifact_dir is not None or not path:
        return context.artifact_dir
    folder = context.process_dir / path
    allowed = (context.process_dir, context.workspace_dir)
    return folder if any(it is not None and is_inside(folder, it) for it in allowed) else None


def _no_sleep(_seconds: float) -> None:
    return None
