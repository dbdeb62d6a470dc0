"""The data of a finished trial that graders get. A file of its own: `base` and `result` both need it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.model.judge import Judge
from waza_engine.model.trajectory import Session, SkillInvocation, ToolEvent


@dataclass(frozen=True, slots=True)
class GradingContext:
    """The data of one finished trial (docs/reference/waza-graders.md, section 3), shared by all its graders.

    `prompt` is None without a task, `workspace_dir` without a workspace, `session` if no digest was recorded.
    `process_dir` is the directory that waza was started in; most graders resolve relative paths from it.
    `duration_ms` is in milliseconds.

    `events` and `metrics` are those of a vally trajectory (docs/reference/vally.md, section 10.1), or None. `error` is
    the agent's own error, `rubric` the criteria of the task. `diff` holds the agent's changes; without it,
    `baseline_files` are the files of the workspace before the run. `artifact_dir` holds files that the executor kept.
    `compared` is the trial to compare with. `sleep`
    waits between two requests to a judge.
    """

    output: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    transcript: Sequence[Mapping[str, Any]] = ()
    session: Session | None = None
    tool_events: Sequence[ToolEvent] = ()
    skills: Sequence[SkillInvocation] = ()
    prompt: str | None = None
    task: Mapping[str, Any] = field(default_factory=dict)
    duration_ms: int = 0
    workspace_dir: Path | None = None
    captured_files: Mapping[str, bytes] = field(default_factory=dict)
    process_dir: Path = field(default_factory=Path)
    session_id: str = ""
    baseline_output: str = ""
    output_present: bool = False
    judge: Judge | None = None
    judge_model: str = ""
    judge_reasoning_effort: str = ""
    update_snapshots: bool = False
    events: Sequence[Mapping[str, Any]] | None = None
    metrics: Mapping[str, Any] | None = None
    error: str = ""
    rubric: tuple[str, ...] = ()
    workspace_status: str = "local"
    baseline_files: Mapping[str, bytes] | None = None
    diff: str | None = None
    artifact_dir: Path | None = None
    compared: "GradingContext | None" = None
    sleep: Callable[[float], None] = time.sleep
