"""The agent program that the user names for an executor: `--agent-command`, or an environment variable."""

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from waza_engine.executors.base import UnavailableError
from waza_engine.file_digests import command_files

COMMAND_VARIABLE = "WAZA_LSP_AGENT_COMMAND"


def agent_argv(command: str, environment: Mapping[str, str], *, executor: str, example: str) -> list[str]:
    """The command in its parts, with the whole path of its program: agents start in their workspaces.

    Raises:
        UnavailableError: no command was given (the text shows `example`), it cannot be split, or its program is not there.

    """
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UnavailableError(
            f"The agent command cannot be split: {error}. Close the quotes in: {command}"
        ) from error
    if not argv:
        raise UnavailableError(
            f"The executor '{executor}' needs an agent: --agent-command '{example}', "
            f"or the environment variable {COMMAND_VARIABLE}"
        )
    found = shutil.which(argv[0], path=environment.get("PATH"))
    if found is None:
        raise UnavailableError(f"The agent '{argv[0]}' was not found; install it, or name its whole path")
    return [os.path.abspath(found), *argv[1:]]  # noqa: PTH100  # no link is resolved


def agent_identity(command: str, environment: Mapping[str, str]) -> str:
    """A text that changes with the command, and with the content of its program and of files that it names."""
    return repr((command, command_files(command, (), Path(), environment.get("PATH"))))
