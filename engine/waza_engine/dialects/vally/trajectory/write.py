"""Write a trial of ours as a vally trajectory (docs/reference/vally.md, section 10.1)."""

from collections.abc import Mapping
from typing import Any

from waza_engine.dialects.vally.trajectory.events import events_of, last_message, of_type
from waza_engine.dialects.vally.trajectory.metrics import (
    error_count,
    tool_call_count,
    turn_count,
    wall_time_ms,
)
from waza_engine.graders.base import GradingContext
from waza_engine.lib.timestamps import rfc3339
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import GraderEntry, Task
from waza_engine.model.trajectory import Trajectory, Usage


def vally_trajectory(trial: TrialRecord, executor: str) -> dict[str, Any]:
    """Return the trajectory. Event times are not recorded, so each event has the trial's start time."""
    trajectory = trial.trajectory
    context = context_of(trajectory)
    events = events_of(context)
    started = rfc3339(trial.started_at)
    result: dict[str, Any] = {
        "id": f"{trial.task}/{trial.trial - 1}",
        "stimulus": {"name": trial.task, "prompt": trajectory.prompt, **(trajectory.stimulus or {})},
        "events": [{"type": e["type"], "timestamp": started, "data": e["data"]} for e in events],
        "metrics": _metrics(context),
        "output": last_message(events) or trajectory.output,
        "workDir": trial.workspace,
        "metadata": {
            "startedAt": started,
            "completedAt": rfc3339(trial.started_at + trajectory.duration_ms / 1000),
            "model": trajectory.model,
            "executor": executor,
            "skillsLoaded": list(dict.fromkeys(skill.name for skill in trajectory.skills)),
            "sessionID": trajectory.session_id,
        },
        "workspaceStatus": "local",
    }
    if trajectory.artifact_dir:
        result["artifactDir"] = trajectory.artifact_dir
    return result | ({"endReason": "agent_error"} if trajectory.error else {})


def stimulus_members(task: Task) -> dict[str, Any]:
    """Return a stimulus' members in a trajectory, except name and prompt."""
    tags: dict[str, list[str]] = {}
    for it in task.tags:
        key, _, value = it.partition("=")
        tags.setdefault(key, []).append(value)
    members = {
        "turns": [task.prompt, *task.follow_ups] if task.follow_ups else [],
        "tags": {key: values[0] if len(values) == 1 else values for key, values in tags.items()},
        "graders": [_grader(it) for it in task.graders],
        "rubric": list(task.rubric),
    }
    return {key: it for key, it in members.items() if it}


def _grader(entry: GraderEntry) -> dict[str, Any]:
    name = {"name": entry.original_name} if entry.original_name else {}
    turn = {} if entry.turn is None else {"turn": entry.turn}
    config = plain(entry.config)
    return {"type": entry.type, **name, **({"config": config} if config else {}), **turn}


def context_of(trajectory: Trajectory) -> GradingContext:
    """Return the grading context of a recorded trajectory, without a workspace."""
    return GradingContext(
        output=trajectory.output,
        transcript=trajectory.transcript,
        session=trajectory.session,
        tool_events=trajectory.tool_events,
        skills=trajectory.skills,
        prompt=trajectory.prompt,
        duration_ms=trajectory.duration_ms,
        session_id=trajectory.session_id,
        error=trajectory.error,
        diff=trajectory.patch,
    )


def _metrics(context: GradingContext) -> Mapping[str, Any]:
    usage = context.session.usage if context.session is not None else None
    counted = {
        "wallTimeMs": wall_time_ms(context),
        "turnCount": turn_count(context),
        "toolCallCount": tool_call_count(context),
        "errorCount": error_count(context),
        "skillActivationCount": len(of_type(events_of(context), "skill_activation")),
        "tokenUsage": _tokens(usage) if usage is not None else None,
    }
    return {key: it for key, it in counted.items() if it is not None}


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.tokens,
        "cacheReadTokens": usage.cache_read_tokens,
        "cacheWriteTokens": usage.cache_write_tokens,
        "callCount": usage.turns,
    }
