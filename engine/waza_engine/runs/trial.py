"""One trial of one task: workspace, agent, graders, and again while it failed and attempts are left.

A trial whose graders cannot be built never starts the agent: its status is `error`, as it would be after the run,
but nothing was paid for it. What the agent itself got wrong is graded (waza-formats.md, sections 13.4 and 13.10).
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.executors.base import Executor, ExecutorError, Progress, TrialRequest
from waza_engine.graders.base import ConfigError, GradingContext
from waza_engine.grading import GraderFailure, RunVerdict, build, grade_run
from waza_engine.judges.base import Judge
from waza_engine.runs.judging import NO_JUDGE, needs_judge
from waza_engine.runs.plan import Plan
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.runs.workspace import (
    Captured,
    WorkspaceError,
    capture,
    delete_files,
    make_workspace,
    remove_workspace,
    write_files,
)
from waza_engine.scope import Scope
from waza_engine.suite import GraderEntry, Task
from waza_engine.trajectory import Session, Trajectory

_GRACE_SECONDS = 2.0
"""How long an executor may take, after the time for all turns, to stop its agent by itself."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What all trials of a run share. `process_dir` is the directory that the run was started in."""

    plan: Plan
    executor: Executor
    process_dir: Path
    judge: Judge | None = None


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
    if failure := await asyncio.to_thread(_unusable_grader, bench, task):
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
        )
    except (WorkspaceError, ExecutorError) as error:
        return _not_performed(task, trial, str(error))
    finally:
        if workspace is not None:
            await asyncio.to_thread(remove_workspace, workspace)
    return _graded(bench, task, trial, trajectory, verdict)


def _unusable_grader(bench: Bench, task: Task) -> RunVerdict | None:
    """The first grader that cannot be built, as the verdict it will lead to."""
    suite = bench.plan.suite
    scope = Scope(suite.directory, bench.process_dir, bench.plan.settings.executor)
    for level, entries in (("eval", suite.graders), ("task", task.graders)):
        for it in entries:
            try:
                build(it, level=level, scope=scope)  # type: ignore[arg-type]  # mypy widens the two texts
            except ConfigError as error:
                return RunVerdict("error", error=GraderFailure(it.name, it.type, "config", str(error)))
            if bench.judge is None and needs_judge(it):
                return RunVerdict("error", error=GraderFailure(it.name, it.type, "config", NO_JUDGE))
    return None


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


def grading_context(
    bench: Bench, task: Task, trajectory: Trajectory, workspace: Path, captured: Captured
) -> GradingContext:
    """What the graders see (waza-graders.md, section 3)."""
    return GradingContext(
        output=trajectory.output,
        transcript=trajectory.transcript,
        session=trajectory.session,
        tool_events=trajectory.tool_events,
        skills=trajectory.skills,
        prompt=task.prompt,
        task=_task_data(task),
        duration_ms=trajectory.duration_ms,
        workspace_dir=workspace,
        captured_files=captured.contents,
        process_dir=bench.process_dir,
        session_id=trajectory.session_id,
        judge=bench.judge,
        judge_model=bench.plan.settings.judge_model,
        judge_reasoning_effort=bench.plan.settings.judge_reasoning_effort,
    )


def _task_data(task: Task) -> Mapping[str, Any]:
    inputs = {"prompt": task.prompt, "context": dict(task.context)}
    return {"id": task.id, "name": task.name, "description": task.description, "inputs": inputs}


def _graded(bench: Bench, task: Task, trial: int, trajectory: Trajectory, verdict: RunVerdict) -> TrialRecord:
    return TrialRecord(
        task=task.id,
        task_index=0,
        trial=trial,
        status=verdict.status,
        score=verdict.score,
        weighted_score=verdict.weighted_score,
        trajectory=trajectory,
        graders=tuple(_outcomes(verdict, (*bench.plan.suite.graders, *task.graders))),
        error=trajectory.error or (str(verdict.error) if verdict.error else ""),
    )


def _not_performed(task: Task, trial: int, error: str) -> TrialRecord:
    trajectory = Trajectory(task=task.id, prompt=task.prompt, error=error)
    return TrialRecord(task.id, 0, trial, "error", 0.0, 0.0, trajectory, error=error)


def _outcomes(verdict: RunVerdict, entries: tuple[GraderEntry, ...]) -> Iterator[GraderOutcome]:
    """The verdicts with the place of the entry that gave them: of several with one name, the last."""
    if failure := verdict.error:
        entry = next((it for it in entries if (it.name, it.type) == (failure.name, failure.type)), None)
        path, pointer = (entry.path, entry.pointer) if entry else (None, ())
        yield GraderOutcome(
            failure.name, failure.type, "error", 0.0, 1.0, failure.message, path=path, pointer=pointer
        )
        return
    places = {it.name: it for it in entries}
    for name, it in verdict.results.items():
        entry = None if name.startswith("_output_") and not it.type else places.get(name)
        yield GraderOutcome(
            name=name,
            type=it.type,
            status="passed" if it.result.passed else "failed",
            score=it.result.score,
            weight=it.weight,
            feedback=it.result.feedback,
            details=it.result.details,
            duration_ms=it.duration_ms,
            path=entry.path if entry else None,
            pointer=entry.pointer if entry else (),
        )
