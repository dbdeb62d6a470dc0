"""The agent program that the user names for an executor: `--agent-command`, or an environment variable."""

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from waza_engine.executors.base import UnavailableError
from waza_engine.lib.files.digests import command_files

COMMAND_VARIABLE = "WAZA_LSP_AGENT_COMMAND"

# Others have words in braces too, with a sign before them: ${HOME}, @{upstream}, %{http_code}, {{name}}. And elsewhere
# braces hold more than a name: {}, {a,b}, {"a": 1}, {3f2504e0-4f89}.
_PLACEHOLDER = re.compile(r"(?<![$@%#{])\{([A-Za-z_-]+)\}(?!\})")
_OF_A_SHELL = re.compile(r"\|[|&]?|&&?|;|\d?>>?(?:&\d|/dev/null)?|\d?<{1,3}|&>>?")


def agent_argv(
    command: str, environment: Mapping[str, str], *, executor: str, example: str, placeholders: Sequence[str]
) -> list[str]:
    """The command in its parts, with the whole path of its program: agents start in their workspaces.

    `placeholders` are the words in braces that the executor replaces.

    Raises:
        UnavailableError: no command was given (the text shows `example`), it cannot be split, its program is not there,
            or an argument holds another word in braces.

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
    if unknown := _unknown_placeholders(argv, placeholders):
        names = ", ".join(f"{{{it}}}" for it in placeholders)
        known = f"It replaces {names}" if names else "It replaces no words"
        raise UnavailableError(
            f"The executor '{executor}' does not know {', '.join(unknown)} in the agent command. {known}; "
            "for an argument that is to hold just that, name a script that gives it"
        )
    return [os.path.abspath(found), *argv[1:]]  # noqa: PTH100  # no link is resolved


def _unknown_placeholders(argv: Sequence[str], known: Sequence[str]) -> list[str]:
    """Of words without blanks: a longer text may be a program of its own, with braces of its own."""
    found = (it for arg in argv if not re.search(r"\s", arg) for it in _PLACEHOLDER.finditer(arg))
    return list(dict.fromkeys(f"'{it[0]}'" for it in found if it[1] not in known))


def shell_words(command: str) -> str:
    """What to say about words that only a shell would obey, or ""."""
    try:
        words = [it for it in shlex.split(command) if _OF_A_SHELL.fullmatch(it)]
    except ValueError:  # said when it is to be started
        return ""
    if not words:
        return ""
    given = ", ".join(f"'{it}'" for it in dict.fromkeys(words))
    return (
        f"No shell runs the agent command: the agent gets {given} as an argument. "
        "For pipes and redirections put the command into a script, and name that"
    )


def agent_identity(command: str, environment: Mapping[str, str]) -> str:
    """A text that changes with the command, and with the content of its program and of files that it names."""
    return repr((command, command_files(command, (), Path(), environment.get("PATH"))))
