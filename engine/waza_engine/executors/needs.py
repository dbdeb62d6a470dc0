"""What each executor needs besides waza-lsp. Plain data, apart from the executors: their libraries take long to import."""

import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from typing import NamedTuple

from waza_engine.executors.copilot_cli import cli_path
from waza_engine.executors.known_agents import installed_agents


class Need(NamedTuple):
    """`module` and the `extra` of ours that installs it; whether it starts an agent program or the Copilot CLI."""

    module: str = ""
    extra: str = ""
    agent: bool = False
    copilot_cli: bool = False


NEEDS: Mapping[str, Need] = {
    "acp": Need("acp", "acp", agent=True),
    "command": Need(agent=True),
    "copilot-sdk": Need("copilot", "copilot", copilot_cli=True),
    "mock": Need(),
    "replay": Need(),
}


class Readiness(NamedTuple):
    """Whether an executor could run here: what was found, and what is missing (empty: nothing)."""

    found: str
    missing: str = ""
    extra: str = ""


def readiness(name: str, environment: Mapping[str, str]) -> Readiness:
    """Return whether a built-in executor could run. Nothing is started: a missing login shows only in a run."""
    need = NEEDS[name]
    if need.module and find_spec(need.module) is None:
        return Readiness("", f"the package '{need.module}' is not installed", need.extra)
    if need.copilot_cli:
        cli = cli_path(environment)
        if not cli or shutil.which(cli, path=environment.get("PATH")) is None:
            return Readiness("", "the program 'copilot' was not found")
        return Readiness(f"Copilot CLI at {cli}")
    if need.agent:
        agents = ", ".join(it.program for it in installed_agents(environment))
        if not agents:
            return Readiness("", "no agent that we know is on the PATH; any other works with --agent-command")
        return Readiness(f"agents on the PATH: {agents}")
    return Readiness("needs nothing")
