"""Parse the agent command of an executor: `--agent-command`, or an environment variable."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from waza_engine.executors.base import UnavailableError
from waza_engine.lib.files.digests import command_files
from waza_engine.lib.paths import exists

COMMAND_VARIABLE = "WAZA_LSP_AGENT_COMMAND"

# Other syntaxes are not ours: ${HOME}, @{upstream}, %{http_code}, {{name}}, and braces around anything but a name:
# {}, {a,b}, {"a": 1}, {3f2504e0-4f89}.
_PLACEHOLDER = re.compile(r"(?<![$@%#{])\{([A-Za-z_-]+)\}(?!\})")
_SHELL_SYNTAX = re.compile(r"\|[|&]?|&&?|;|\d?>>?(?:&\d|/dev/null)?|\d?<{1,3}|&>>?")


def agent_argv(
    command: str, environment: Mapping[str, str], *, executor: str, example: str, placeholders: Sequence[str]
) -> list[str]:
    """Split the command, with the absolute path of its program, because agents start in their workspaces.

    `placeholders` are the names in braces that the executor replaces.

    Raises:
        UnavailableError: the command is empty (the message shows `example`), it cannot be split, its program does not
            exist, or an argument has an unknown placeholder.

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
        raise UnavailableError(f"Agent program '{argv[0]}' not found. Install it, or use its full path")
    if unknown := _unknown_placeholders(argv, placeholders):
        names = ", ".join(f"{{{it}}}" for it in placeholders)
        known = f"Known placeholders: {names}" if names else "It has no placeholders"
        raise UnavailableError(
            f"The executor '{executor}' does not know {', '.join(unknown)} in the agent command. {known}. "
            "To pass such an argument literally, use a script"
        )
    return [os.path.abspath(found), *argv[1:]]  # noqa: PTH100  # no link is resolved


def _unknown_placeholders(argv: Sequence[str], known: Sequence[str]) -> list[str]:
    """Unknown placeholders in arguments without spaces: longer arguments may be scripts with braces of their own."""
    matches = (it for arg in argv if not re.search(r"\s", arg) for it in _PLACEHOLDER.finditer(arg))
    return list(dict.fromkeys(f"'{it[0]}'" for it in matches if it[1] not in known))


def command_warning(command: str) -> str:
    """Return a warning about words that only a shell understands, or about relative paths that agents miss, or ""."""
    try:
        words = shlex.split(command)
    except ValueError:  # reported by `agent_argv`
        return ""
    if for_shell := [it for it in words if _SHELL_SYNTAX.fullmatch(it)]:
        return (
            f"The agent command runs without a shell: the agent gets {_quoted(for_shell)} as an argument. "
            "For pipes and redirections, put the command into a script and use that"
        )
    if paths := [it for it in words[1:] if it.strip(".") and not Path(it).is_absolute() and exists(it)]:
        return (
            f"The agent starts in the task's workspace, not in this folder, so it may not find {_quoted(paths)}. "
            "Use the full path"
        )
    return ""


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{it}'" for it in dict.fromkeys(words))


def agent_identity(command: str, environment: Mapping[str, str]) -> str:
    """Return a text that changes with the command, its program's content and the files that it names."""
    return repr((command, command_files(command, (), Path(), environment.get("PATH"))))
