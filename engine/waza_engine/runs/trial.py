"""One trial of one task: workspace, agent, graders, and again while it failed and attempts are left.

A trial whose graders cannot be built never starts the agent: its status is `error`, as it would be after the
run, but nothing was paid for it. What the agent itself got wrong is graded (docs/reference/waza-formats.md,
sections 13.4 and 13.10).
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from waza_engine.executors.base import (
    COMMAND_MOCKS,
    MCP_SERVERS,
    RESPONDER,
    Executor,
    ExecutorError,
    Progress,
    TrialRequest,
)
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.formats import dialect_meant, resolved
from waza_engine.lib.text_diff import unified_diff
from waza_engine.mocks.install import Installed, installed
from waza_engine.runs.checkpoints import Checkpoints, status_with
from waza_engine.runs.conversation import Conversation
from waza_engine.runs.grade import Bench, unusable_grader, verdict_on
from waza_engine.runs.ignored import ignores
from waza_engine.runs.records import TrialRecord
from waza_engine.runs.responder import SimulatedUser
from waza_engine.runs.setup import prepared
from waza_engine.runs.system_message import system_message
from waza_engine.runs.workspace import (
    Captured,
    WorkspaceError,
    capture,
    delete_files,
    remove_workspace,
    write_files,
)
from waza_engine.suite import Task
from waza_engine.temporary import keep_folder
from waza_engine.trajectory import Session, Trajectory

_LONGEST_PATCH = 2_000_000
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
        _refuse_blocked(bench, task)
        is_recorded = bench.executor.name == ReplayExecutor.name
        workspace = await asyncio.to_thread(prepared, task, runs_commands=not is_recorded)
        if bench.plan.keep_workspace:
            keep_folder(workspace)
        before = await asyncio.to_thread(capture, workspace, ())
        checkpoints = Checkpoints(bench, task, workspace)
        talk = Conversation(task.prompt, task.follow_ups, checkpoints, _user(bench, task))
        with _mocks(bench, task, workspace) as mocks:
            request = _request(bench, task, trial, workspace, talk, mocks)
            trajectory = talk.concluded(await _performed(bench.executor, request, progress))
            trajectory = _with_invocations(trajectory, mocks)
            if describe := dialect_meant(bench.plan.suite.dialect).describe_task:
                told = {"stimulus": resolved(describe)(task)}
                trajectory = talk.with_messages(trajectory).model_copy(update=told)
        trajectory, captured = await asyncio.to_thread(_after_the_run, task, trajectory, workspace, before)
        record = await asyncio.to_thread(verdict_on, bench, task, trajectory, workspace, captured)
    except (WorkspaceError, ExecutorError) as error:
        return _not_performed(task, trial, str(error))
    except OSError as error:
        # The state of the machine, and no mistake of ours: other trials may fare better.
        return _not_performed(task, trial, f"The trial could not be performed: {error}")
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


def _not_performed(task: Task, trial: int, told: str) -> TrialRecord:
    empty = Trajectory(task=task.id, prompt=task.prompt, error=told)
    return TrialRecord(task.id, 0, trial, "error", 0.0, 0.0, empty, error=told)


def _refuse_blocked(bench: Bench, task: Task) -> None:
    if task.blocked:
        raise WorkspaceError(task.blocked)
    refusal = dialect_meant(bench.plan.suite.dialect).task_refusal
    if refusal and (reason := resolved(refusal)(task)):
        raise WorkspaceError(reason)


@contextmanager
def _mocks(bench: Bench, task: Task, workspace: Path) -> Iterator[Installed]:
    unused = ignores(bench.executor)
    commands = () if COMMAND_MOCKS in unused else task.command_mocks
    servers = () if MCP_SERVERS in unused else bench.plan.suite.mcp_mocks
    path = bench.environment.get("PATH", "")
    with ExitStack() as stack:
        try:
            mocks = stack.enter_context(installed(commands, servers, workspace, path))
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"The mocks cannot be put up: {error}") from error
        yield mocks


def _with_invocations(trajectory: Trajectory, mocks: Installed) -> Trajectory:
    """What was called of the mocks; a recording knows its own calls."""
    calls = mocks.invocations()
    return trajectory.model_copy(update={"command_invocations": calls}) if calls else trajectory


def _user(bench: Bench, task: Task) -> SimulatedUser | None:
    if task.responder is None or RESPONDER in ignores(bench.executor):
        return None
    settings = bench.plan.settings
    seconds = float(task.timeout_seconds or settings.timeout_seconds)
    return SimulatedUser(task.responder, bench.judge, settings.model, settings.reasoning_effort, seconds)


async def _performed(executor: Executor, request: TrialRequest, progress: Progress) -> Trajectory:
    task, responder = request.task, request.task.responder
    # A simulated user, too, has the time of a turn for each answer.
    turns = 1 + (2 * responder.most_followups + 1 if responder else len(task.follow_ups))
    whole = request.timeout_seconds * (1 if request.timeout_of_trial else turns)
    try:
        async with asyncio.timeout(whole + _GRACE_SECONDS):
            return await executor.run(request, progress)
    except TimeoutError:
        return Trajectory(
            task=task.id,
            prompt=task.prompt,
            error=f"timed out: no end after {whole:g} s",
            duration_ms=int(whole * 1000),
            session=Session(),
        )


def _request(
    bench: Bench, task: Task, trial: int, workspace: Path, talk: Conversation, mocks: Installed
) -> TrialRequest:
    settings, suite = bench.plan.settings, bench.plan.suite
    listed = settings.skill_directories if task.skill_directories is None else task.skill_directories
    directories = (
        *((bench.process_dir,) if settings.skills_of_process else ()),
        *(suite.directory / it for it in listed),
    )
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
        system_message=system_message(
            task, suite.skill, directories, suite.agent, inject_skill_body=settings.inject_skill_body
        ),
        skill_directories=directories,
        mcp_servers={**settings.mcp_servers, **task.mcp_servers, **mocks.servers},
        environment={**task.environment, **mocks.environment},
        timeout_of_trial=settings.timeout_of_trial,
        allowed_tools=suite.agent.tools if suite.agent else None,
        baseline=bench.plan.without_skills,
        after_turn=talk.after_turn,
    )


def _after_the_run(
    task: Task, trajectory: Trajectory, workspace: Path, before: Captured
) -> tuple[Trajectory, Captured]:
    """Put a recording's files into the workspace, then read what stands there, and what has changed."""
    write_files(workspace, ((name, text.encode()) for name, text in trajectory.files.items()))
    delete_files(workspace, trajectory.removed)
    captured = capture(workspace, task.files)
    kept: dict[str, object] = {
        "files": dict(captured.texts),
        "removed": list(captured.removed),
        "uncaptured": list(captured.uncaptured),
    }
    if trajectory.patch is None:
        kept["patch"] = _patch(before, captured)
    return trajectory.model_copy(update={"task": task.id, **kept}), captured


def _patch(before: Captured, after: Captured) -> str | None:
    """What has changed, as far as the files were read both times; None when that is too long to keep."""
    unread = {*before.uncaptured, *after.uncaptured}
    was, now = ({k: v for k, v in it.contents.items() if k not in unread} for it in (before, after))
    patch = unified_diff(was, now)
    return patch if len(patch) <= _LONGEST_PATCH else None
