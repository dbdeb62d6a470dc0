"""Preparing a workspace as a task asks: files, repositories, then its shell commands.

See docs/reference/vally.md, section 4.
"""

import os
from pathlib import Path

from waza_engine import processes
from waza_engine.runs.repositories import add_repositories
from waza_engine.runs.workspace import (
    WorkspaceError,
    make_workspace,
    refuse_missing_workdir,
    remove_workspace,
    write_inputs,
)
from waza_engine.suite import Task

_SECONDS = 600.0
_SHOWN = 400


def prepared(task: Task, *, runs_commands: bool) -> Path:
    """A new workspace in which the agent can start. A recorded agent needs no commands: it is not performed.

    Raises:
        WorkspaceError: something cannot be put there, or a command failed.

    """
    workspace = make_workspace(())
    try:
        # A repository that is the workspace itself needs it to be empty.
        add_repositories(workspace, (it for it in task.repos if it.is_workspace))
        write_inputs(workspace, task.files)
        add_repositories(workspace, (it for it in task.repos if not it.is_workspace))
        refuse_missing_workdir(workspace, task.workdir)
        for command in task.setup if runs_commands else ():
            _run(command, workspace, task)
    except BaseException:
        remove_workspace(workspace)
        raise
    return workspace


def _run(command: str, workspace: Path, task: Task) -> None:
    shell = ("cmd", "/c") if os.name == "nt" else ("/bin/sh", "-c")
    environment = {**os.environ, **task.environment}
    try:
        ended = processes.run([*shell, command], cwd=workspace, seconds=_SECONDS, env=environment)
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"environment.commands: '{command}' cannot be started: {error}") from error
    if ended.timed_out:
        raise WorkspaceError(f"environment.commands: '{command}' took longer than {_SECONDS:g} s")
    if ended.status:
        said = (ended.stderr or ended.stdout).decode("utf-8", "replace").strip()[-_SHOWN:]
        raise WorkspaceError(
            f"environment.commands: '{command}' ended with exit code {ended.status}{': ' if said else ''}{said}"
        )
