"""One trial of one task: workspace, agent, graders, and again while it failed and attempts are left.

A trial whose graders cannot be built never starts the agent: its status is `error`, as it would be after the run,
but nothing was paid for it. What the agent itself got wrong is graded (waza-formats.md, sections 13.4 and 13.10).
"""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from waza_engine.executors.base import ExecutorError, Progress, TrialRequest
from waza_engine.grading import RunVerdict, grade_run
from waza_engine.runs.grade import Bench, grading_context, outcomes, unusable_grader
from waza_engine.runs.records import TrialRecord
from waza_engine.runs.workspace import (
    Captured,
    WorkspaceError,
    capture,
    delete_files,
    make_workspace,
    remove_workspace,
    write_files,
)
from waza_engine.suite import Task
from waza_engine.trajectory import Session, Trajectory

_GRACE_SECONDS = 2.0
"""How long an executor may take, after the time for all turns, to stop its agent by itself."""


async def run_trial(bench: Bench, task_index: int, trial: int, progress: Progress) -> TrialRecord:
    """Trial number `trial` (from 1) of a task of the plan. Only cancelling makes it raise."""
    started_at = time.time()
    attempts = 0
    while True:
        attempts += 1
        record = await _attempt(bench, bench.plan.tasks[task_index], trial, progress)
        if record.status != "failed" or attempts >= bench.plan.settings.max_attempts:
            return replace(record, task_index=task_index, attempts=attempts, started_at=started_at)


async def _attempt(bench: Bench, task: Task, trial: int, progress: Progress) -> TrialRecord:
    if failure := await asyncio.to_thread(unusable_grader, bench, task):
        return _graded(bench, task, trial, Trajectory(task=task.id, prompt=task.prompt), failure)
    workspace: Path | None = None
    try:
        _refuse_blocked(task)
        workspace = await asyncio.to_thread(make_workspace, task.files)
        trajectory = await _performed(bench, task, trial, workspace, progress)
        trajectory, captured = await asyncio.to_thread(_after_the_run, task, trajectory, workspace)
        context = grading_context(bench, task, trajectory, workspace, captured)
        verdict = await asyncio.to_thread(
            grade_run,
            bench.plan.suite.graders,
            task.graders,
            task.expected,
            context,
            agent_error=trajectory.error,
            older_types=True,
        )
    except (WorkspaceError, ExecutorError) as error:
        return _not_performed(task, trial, str(error))
    finally:
        if workspace is not None:
            await asyncio.to_thread(remove_workspace, workspace)
    return _graded(bench, task, trial, trajectory, verdict)


def _refuse_blocked(task: Task) -> None:
    if task.blocked:
        raise WorkspaceError(task.blocked)
    # The guard of v0.34: a prompt that speaks of relative paths needs something in the workspace.
    if not task.files and "./" in task.prompt:
        raise WorkspaceError(
            "The prompt speaks of relative paths, but the workspace is empty; add the files under inputs.files"
        )


async def _performed(bench: Bench, task: Task, trial: int, workspace: Path, progress: Progress) -> Trajectory:
    settings = bench.plan.settings
    directories = settings.skill_directories if task.skill_directories is None else task.skill_directories
    seconds = task.timeout_seconds or settings.timeout_seconds
    request = TrialRequest(
        task=task,
        trial=trial,
        workspace_dir=workspace,
        model=settings.model,
        reasoning_effort=settings.reasoning_effort,
        timeout_seconds=seconds,
        first_event_timeout_seconds=settings.first_event_timeout_seconds,
        skill=bench.plan.suite.skill,
        inject_skill_body=settings.inject_skill_body,
        skill_directories=tuple(bench.plan.suite.directory / it for it in directories),
        mcp_servers=settings.mcp_servers,
    )
    turns = 1 + len(task.follow_ups)
    try:
        async with asyncio.timeout(seconds * turns + _GRACE_SECONDS):
            return await bench.executor.run(request, progress)
    except TimeoutError:
        told = f"timed out: no end after {seconds * turns} s"
        return Trajectory(
            task=task.id,
            prompt=task.prompt,
            error=told,
            duration_ms=seconds * turns * 1000,
            session=Session(),
        )


def _after_the_run(task: Task, trajectory: Trajectory, workspace: Path) -> tuple[Trajectory, Captured]:
    """Put a recording's files into the workspace, then read what stands there."""
    write_files(workspace, ((name, text.encode()) for name, text in trajectory.files.items()))
    delete_files(workspace, trajectory.removed)
    captured = capture(workspace, task.files)
    kept = {
        "files": dict(captured.texts),
        "removed": list(captured.removed),
        "uncaptured": list(captured.uncaptured),
    }
    return trajectory.model_copy(update={"task": task.id, **kept}), captured


def _graded(bench: Bench, task: Task, trial: int, trajectory: Trajectory, verdict: RunVerdict) -> TrialRecord:
    return TrialRecord(
        task=task.id,
        task_index=0,
        trial=trial,
        status=verdict.status,
        score=verdict.score,
        weighted_score=verdict.weighted_score,
        trajectory=trajectory,
        graders=tuple(outcomes(verdict, (*bench.plan.suite.graders, *task.graders))),
        error=trajectory.error or (str(verdict.error) if verdict.error else ""),
    )


def _not_performed(task: Task, trial: int, error: str) -> TrialRecord:
    trajectory = Trajectory(task=task.id, prompt=task.prompt, error=error)
    return TrialRecord(task.id, 0, trial, "error", 0.0, 0.0, trajectory, error=error)
