"""Agents whose command lines we know: their programs, and the `--agent-command` that starts them without a terminal.

Each command answers one prompt in the task's workspace and may change files there. The user sees it before it runs.
"""

import shutil
from collections.abc import Mapping
from typing import NamedTuple


class KnownAgent(NamedTuple):
    """An agent program. `form` is the `--agent-format` of its output; "" is plain text."""

    title: str
    program: str
    command: str
    form: str = ""


KNOWN_AGENTS = (
    KnownAgent("Claude Code", "claude", "claude -p {prompt} --permission-mode acceptEdits"),
    KnownAgent("Codex", "codex", "codex exec --full-auto --skip-git-repo-check {prompt}"),
    KnownAgent(
        "Copilot", "copilot", "copilot -p {prompt} --allow-all-tools --output-format json", "copilot-jsonl"
    ),
    KnownAgent("Gemini", "gemini", "gemini -p {prompt} --approval-mode auto_edit"),
)


def installed_agents(environment: Mapping[str, str]) -> list[KnownAgent]:
    """Return the known agents that are on the PATH."""
    path = environment.get("PATH")
    return [it for it in KNOWN_AGENTS if shutil.which(it.program, path=path)]


def format_of(command: str) -> str:
    """Return the output format of an agent command; "" if it is plain text or not known."""
    return next((it.form for it in KNOWN_AGENTS if it.command == command), "")
