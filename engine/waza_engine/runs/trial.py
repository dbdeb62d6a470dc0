"""One trial of one task: workspace, agent, graders, and again while it failed and attempts are left.

A trial whose graders cannot be built never starts the agent: its status is `error`, as it would be after the run,
but nothing was paid for it. What the agent itself got wrong is graded (waza-formats.md, sections 13.4 and 13.10).
"""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

from waza_engine.executors.base import AfterTurn, ExecutorError, Progress, TrialRequest
from waza_engine.runs.checkpoints import Checkpoints, status_with
from waza_engine.runs.grade import Bench, unusable_grader, verdict_on
from waza_engine.runs.records import TrialRecord
from waza_engine.runs.repositories import add_repositories
from waza_engine.runs.workspace import (
    Captured,
    WorkspaceError,
    capture,
    delete_files,
    make_workspace,
    refuse_missing_workdir,
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
    empty = Trajectory(task=task.id, prompt=task.prompt)
    if failure := await asyncio.to_thread(unusable_grader, bench, task):
        return replace(failure, trial=trial, trajectory=empty)
    workspace: Path | None = None
    try:
        _refuse_blocked(task)
        workspace = await asyncio.to_thread(_prepared, task)
        checkpoints = Checkpoints(bench, task, workspace)
        trajectory = await _performed(bench, task, trial, workspace, progress, checkpoints.after_turn)
        trajectory, captured = await asyncio.to_thread(_after_the_run, task, trajectory, workspace)
        record = await asyncio.to_thread(verdict_on, bench, task, trajectory, workspace, captured)
    except (WorkspaceError, ExecutorError) as error:
        return TrialRecord(
            task.id,
            0,
            trial,
            "error",
            0.0,
            0.0,
            empty.model_copy(update={"error": str(error)}),
            error=str(error),
        )
    finally:
        if workspace is not None and not bench.plan.keep_workspace:
            await asyncio.to_thread(remove_workspace, workspace)
    return replace(
        record,
        trial=trial,
        status=status_with(record.status, checkpoints.outcomes),
        error=record.error or checkpoints.error,
        checkpoints=tuple(checkpoints.outcomes),
        workspace=str(workspace) if bench.plan.keep_workspace else "",
    )


def _refuse_blocked(task: Task) -> None:
    if task.blocked:
        raise WorkspaceError(task.blocked)
    # The guard of v0.34: a prompt that speaks of relative paths needs something in the workspace.
    if not task.files and not task.repos and "./" in task.prompt:
        raise WorkspaceError(
            "The prompt speaks of relative paths, but the workspace is empty; add the files under inputs.files"
        )


def _prepared(task: Task) -> Path:
    workspace = make_workspace(task.files)
    try:
        add_repositories(workspace, task.repos)
        refuse_missing_workdir(workspace, task.workdir)
    except WorkspaceError:
        remove_workspace(workspace)
        raise
    return workspace


async def _performed(
    bench: Bench, task: Task, trial: int, workspace: Path, progress: Progress, after_turn: AfterTurn
) -> Trajectory:
    request = _request(bench, task, trial, workspace, after_turn)
    seconds = request.timeout_seconds
    whole = seconds * len(request.turns)
    try:
        async with asyncio.timeout(whole + _GRACE_SECONDS):
            return await bench.executor.run(request, progress)
    except TimeoutError:
        return Trajectory(
            task=task.id,
            prompt=task.prompt,
            error=f"timed out: no end after {whole:g} s",
            duration_ms=int(whole * 1000),
            session=Session(),
        )


def _request(bench: Bench, task: Task, trial: int, workspace: Path, after_turn: AfterTurn) -> TrialRequest:
    settings, suite = bench.plan.settings, bench.plan.suite
    directories = settings.skill_directories if task.skill_directories is None else task.skill_directories
    first = task.first_event_timeout_seconds
    return TrialRequest(
        task=task,
        trial=trial,
        workspace_dir=workspace,
        model=settings.model,
        reasoning_effort=settings.reasoning_effort,
        timeout_seconds=task.timeout_seconds or settings.timeout_seconds,
        first_event_timeout_seconds=settings.first_event_timeout_seconds if first is None else first,
        skill=suite.skill,
        inject_skill_body=settings.inject_skill_body,
        skill_directories=tuple(suite.directory / it for it in directories),
        mcp_servers=settings.mcp_servers,
        baseline=bench.plan.without_skills,
        after_turn=after_turn,
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
