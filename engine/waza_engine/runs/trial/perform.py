"""Run one trial of one task: prepare the workspace, run the agent, grade; retry while it fails and attempts are left.

If a grader cannot be built, the agent is not started: the status is `error`, as it would be after the run, but at no
cost. Errors of the agent itself are graded (docs/reference/waza-formats.md, sections 13.4 and 13.10).

The workspace gets the task's files, then repositories, then its shell commands run (docs/reference/vally.md, section
4). The system message gets the skill or custom agent under test, then the instruction files, as in waza since v0.25
(skill), v0.31 (custom agent) and v0.33 (instruction files); docs/reference/waza-formats.md, sections 4.2 and 13.3.
"""

import asyncio
import os
import time
from collections.abc import Iterable, Iterator, Sequence
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
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_text
from waza_engine.lib.files.temporary import keep_folder
from waza_engine.lib.process import run as processes
from waza_engine.lib.process.environment import program_environment
from waza_engine.lib.process.sandbox import confined, using
from waza_engine.lib.process.shortage import ShortageError, is_shortage
from waza_engine.lib.text_diff import unified_diff
from waza_engine.lib.yaml.reader import front_matter, split_front_matter
from waza_engine.mocks.install import InstalledMocks, install_mocks
from waza_engine.model.fields import as_text
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import CustomAgent, Task
from waza_engine.model.trajectory import Session, Trajectory
from waza_engine.recognition.recognise import dialect_for, load_object
from waza_engine.runs.planning.preflight import ignored_features
from waza_engine.runs.trial.checkpoints import Checkpoints, with_checkpoints
from waza_engine.runs.trial.conversation import Conversation, SimulatedUser
from waza_engine.runs.trial.grade import Bench, grade_trial, unusable_grader_record
from waza_engine.runs.trial.repositories import add_repositories
from waza_engine.runs.trial.retries import Retries
from waza_engine.runs.trial.workspace import (
    CapturedFiles,
    WorkspaceError,
    capture,
    delete_files,
    make_workdir,
    make_workspace,
    remove_workspace,
    write_files,
    write_inputs,
)

_SETUP_SECONDS = 600.0
_SHOWN_CHARACTERS = 400
_LONGEST_PATCH = 2_000_000
_GRACE_SECONDS = 2.0
"""Extra time, after the timeout of all turns, for an executor to stop its agent by itself."""


async def run_trial(bench: Bench, task_index: int, trial: int, progress: Progress) -> TrialRecord:
    """Run trial number `trial` (from 1) of a task of the plan. Raises only when cancelled."""
    started_at = time.time()
    attempts = 0
    retries = Retries(bench.plan.overrides.retry_infrastructure, progress)
    while True:
        attempts += 1
        with using(bench.plan.settings.sandbox):
            record = await _attempt(bench, bench.plan.tasks[task_index], trial, progress, retries)
        if record.infrastructure and await retries.wait(record.error):
            attempts -= 1  # It says nothing about the agent.
            continue
        if record.status != "failed" or attempts >= bench.plan.settings.max_attempts:
            return replace(record, task_index=task_index, attempts=attempts, started_at=started_at)


async def _attempt(bench: Bench, task: Task, trial: int, progress: Progress, retries: Retries) -> TrialRecord:
    empty = Trajectory(task=task.id, prompt=task.prompt)
    if failure := await asyncio.to_thread(unusable_grader_record, bench, task):
        return replace(failure, trial=trial, trajectory=empty)
    workspace: Path | None = None
    try:
        _refuse_blocked(bench, task)
        is_recorded = bench.executor.name == ReplayExecutor.name
        workspace = await asyncio.to_thread(prepare_workspace, task, runs_commands=not is_recorded)
        if bench.plan.keep_workspace:
            keep_folder(workspace)
        before = await asyncio.to_thread(capture, workspace, ())
        checkpoints = Checkpoints(bench, task, workspace)
        talk = Conversation(task.prompt, task.follow_ups, checkpoints, _simulated_user(bench, task))
        with _installed_mocks(bench, task, workspace) as mocks:
            request = _trial_request(bench, task, trial, workspace, talk, mocks)
            trajectory = talk.with_responder_outcome(await _run_executor(bench.executor, request, progress))
            trajectory = _with_mock_calls(trajectory, mocks)
            if describe := dialect_for(bench.plan.suite.dialect).describe_task:
                stimulus = {"stimulus": load_object(describe)(task)}
                trajectory = talk.with_messages(trajectory).model_copy(update=stimulus)
        trajectory, captured = await asyncio.to_thread(_capture_result, task, trajectory, workspace, before)
        record = await asyncio.to_thread(grade_trial, bench, task, trajectory, workspace, captured)
        while record.infrastructure and not trajectory.infrastructure and await retries.wait(record.error):
            # A judge was down: the agent need not work again.
            record = await asyncio.to_thread(grade_trial, bench, task, trajectory, workspace, captured)
    except WorkspaceError as error:
        return _error_record(task, trial, str(error), infrastructure=is_shortage(error.__cause__ or error))
    except ExecutorError as error:
        return _error_record(task, trial, str(error), infrastructure=error.infrastructure)
    except (OSError, ShortageError) as error:
        # The machine's state, not a bug of ours: other trials may succeed.
        return _error_record(task, trial, f"The trial could not be run: {error}", infrastructure=True)
    finally:
        if workspace is not None and not bench.plan.keep_workspace:
            await asyncio.to_thread(remove_workspace, workspace)
    return replace(
        with_checkpoints(record, checkpoints.outcomes),
        trial=trial,
        workspace=str(workspace) if bench.plan.keep_workspace else "",
    )


def _error_record(task: Task, trial: int, message: str, *, infrastructure: bool) -> TrialRecord:
    empty = Trajectory(task=task.id, prompt=task.prompt, error=message, infrastructure=infrastructure)
    return TrialRecord(
        task.id, 0, trial, "error", 0.0, 0.0, empty, error=message, infrastructure=infrastructure
    )


def _refuse_blocked(bench: Bench, task: Task) -> None:
    if task.blocked:
        raise WorkspaceError(task.blocked)
    refusal = dialect_for(bench.plan.suite.dialect).task_refusal
    if refusal and (reason := load_object(refusal)(task)):
        raise WorkspaceError(reason)


def prepare_workspace(task: Task, *, runs_commands: bool) -> Path:
    """Return a new workspace for the agent. Replays set `runs_commands` to false: no agent needs their effects.

    Raises:
        WorkspaceError: a file or repository cannot be put there, or a command failed.

    """
    workspace = make_workspace(())
    try:
        # A repository cloned into the workspace folder itself needs it to be empty.
        add_repositories(workspace, (it for it in task.repos if it.is_workspace))
        write_inputs(workspace, task.files)
        add_repositories(workspace, (it for it in task.repos if not it.is_workspace))
        make_workdir(workspace, task.workdir)
        for command in task.setup if runs_commands else ():
            _run_setup_command(command, workspace, task)
    except BaseException:
        remove_workspace(workspace)
        raise
    return workspace


def _run_setup_command(command: str, workspace: Path, task: Task) -> None:
    shell = ("cmd", "/c") if os.name == "nt" else ("/bin/sh", "-c")
    environment = program_environment(os.environ, task.environment, directory=workspace)
    try:
        argv = confined([*shell, command], cwd=workspace, environment=environment, writable=[workspace])
        ended = processes.run(argv, cwd=workspace, seconds=_SETUP_SECONDS, env=environment)
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"environment.commands: '{command}' cannot be started: {error}") from error
    if ended.timed_out:
        raise WorkspaceError(f"environment.commands: '{command}' took longer than {_SETUP_SECONDS:g} s")
    if ended.status:
        output = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()[-_SHOWN_CHARACTERS:]
        details = f": {output}" if output else ""
        raise WorkspaceError(
            f"environment.commands: '{command}' ended with exit code {ended.status}{details}"
        )


@contextmanager
def _installed_mocks(bench: Bench, task: Task, workspace: Path) -> Iterator[InstalledMocks]:
    unused = ignored_features(bench.executor)
    commands = () if COMMAND_MOCKS in unused else task.command_mocks
    servers = bench.plan.suite.mcp_mocks if task.mcp_mocks is None else task.mcp_mocks
    servers = () if MCP_SERVERS in unused else servers
    path = bench.environment.get("PATH", "")
    with ExitStack() as stack:
        try:
            mocks = stack.enter_context(install_mocks(commands, servers, workspace, path))
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"The mocks cannot be installed: {error}") from error
        yield mocks


def _with_mock_calls(trajectory: Trajectory, mocks: InstalledMocks) -> Trajectory:
    """Add the calls of mocked programs to the trajectory. A replay keeps the calls in its recording."""
    calls = mocks.invocations()
    return trajectory.model_copy(update={"command_invocations": calls}) if calls else trajectory


def _simulated_user(bench: Bench, task: Task) -> SimulatedUser | None:
    if task.responder is None or RESPONDER in ignored_features(bench.executor):
        return None
    settings = bench.plan.settings
    seconds = float(task.timeout_seconds or settings.timeout_seconds)
    return SimulatedUser(task.responder, bench.judge, settings.model, settings.reasoning_effort, seconds)


async def _run_executor(executor: Executor, request: TrialRequest, progress: Progress) -> Trajectory:
    task, responder = request.task, request.task.responder
    # A simulated user gets the time of one turn for each answer, too.
    turns = 1 + (2 * responder.most_followups + 1 if responder else len(task.follow_ups))
    timeout = request.timeout_seconds * (1 if request.timeout_of_trial else turns)
    try:
        async with asyncio.timeout(timeout + _GRACE_SECONDS):
            return await executor.run(request, progress)
    except TimeoutError:
        return Trajectory(
            task=task.id,
            prompt=task.prompt,
            error=f"timed out after {timeout:g} s",
            duration_ms=int(timeout * 1000),
            session=Session(),
        )


def _trial_request(
    bench: Bench, task: Task, trial: int, workspace: Path, talk: Conversation, mocks: InstalledMocks
) -> TrialRequest:
    settings, suite = bench.plan.settings, bench.plan.suite
    names = settings.skill_directories if task.skill_directories is None else task.skill_directories
    directories = (
        *((bench.process_dir,) if settings.skills_of_process else ()),
        *(suite.directory / it for it in names),
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
        mocks_dir=mocks.folder if mocks.environment or mocks.servers else None,
        timeout_of_trial=settings.timeout_of_trial,
        allowed_tools=suite.agent.tools if suite.agent else None,
        baseline=bench.plan.without_skills,
        after_turn=talk.after_turn,
    )


def system_message(
    task: Task, skill: str, directories: Sequence[Path], agent: CustomAgent | None, *, inject_skill_body: bool
) -> str:
    """Return the addition to the agent's system message, or ""."""
    return "\n\n".join(it for it in _message_parts(task, skill, directories, agent, inject_skill_body) if it)


def _message_parts(
    task: Task, skill: str, directories: Sequence[Path], agent: CustomAgent | None, inject: bool
) -> Iterator[str]:
    if inject:
        yield skill_body(skill, directories) or (agent.body if agent else "")
    instructions = set(task.instructions)
    for it in task.files:
        if it.target in instructions:
            yield it.content.decode("utf-8-sig", "replace").strip()


def skill_body(skill: str, directories: Iterable[Path]) -> str:
    """Return the body of the skill's SKILL.md, without front matter, or "" if no directory holds it."""
    if not skill:
        return ""
    for directory in directories:
        for path in (directory / SKILL_FILE, directory / skill / SKILL_FILE):
            name, body = _read_skill(path)
            if name == skill:
                return body
    return ""


def _read_skill(path: Path) -> tuple[str, str]:
    try:
        text = regular_text(path, "utf-8-sig", MAX_SOURCE_BYTES)
    except (OSError, ValueError):
        return "", ""
    parts = split_front_matter(text)
    name = as_text(front_matter(text).get("name"))
    return str(name or ""), parts.body.strip() if parts is not None else ""


def _capture_result(
    task: Task, trajectory: Trajectory, workspace: Path, before: CapturedFiles
) -> tuple[Trajectory, CapturedFiles]:
    """Write a recording's files into the workspace, then capture its files and the changes."""
    write_files(workspace, ((name, text.encode()) for name, text in trajectory.files.items()))
    delete_files(workspace, trajectory.removed)
    captured = capture(workspace, task.files)
    changes: dict[str, object] = {
        "files": dict(captured.texts),
        "removed": list(captured.removed),
        "uncaptured": list(captured.uncaptured),
    }
    if trajectory.patch is None:
        changes["patch"] = _patch(before, captured)
    return trajectory.model_copy(update={"task": task.id, **changes}), captured


def _patch(before: CapturedFiles, after: CapturedFiles) -> str | None:
    """Return a diff of the files that were captured both times, or None if it is too long to store."""
    unread = {*before.uncaptured, *after.uncaptured}
    old, new = ({k: v for k, v in it.contents.items() if k not in unread} for it in (before, after))
    patch = unified_diff(old, new)
    return patch if len(patch) <= _LONGEST_PATCH else None
