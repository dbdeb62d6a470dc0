"""Ask what to do about a run whose executor is not available: run it with another one, or install what is missing.

The questions are `window/showMessageRequest`, so every editor has them. The answer is the same run with another executor.
"""

import asyncio
import os
from dataclasses import replace
from typing import Any

from lsprotocol import types

from waza_lsp.server.runs.process import RunRequest
from waza_lsp.server.session import Session
from waza_lsp.server.transport.client import CannotAskError, Client, first_sentence

_RECORDINGS = "Run with Recordings"
_MOCK = "Run with Mock"
_INSTALL = "Install..."
_AGENT = "Agent..."
_OWN = "Own Command..."
_ONCE = "Run Once"
_KEEP = "Keep in Settings"
_AGAIN = "Run Again"
_SETTING = "waza.run.agentCommand"


async def other_request(session: Session, request: RunRequest, missing: dict[str, Any]) -> RunRequest | None:
    """Return the run that the user chooses instead of `request`, or None.

    `missing` is the member `unavailable` of the run's answer.
    """
    # Imported late, here and below: they bring the executors.
    from waza_engine.executors.mock import MockExecutor
    from waza_engine.executors.replay import ReplayExecutor

    client, message = session.client, missing["message"]
    client.log(message, types.MessageType.Error)
    is_recorded = await asyncio.to_thread(_is_recorded, request)
    choices = {
        **({_RECORDINGS: ReplayExecutor.name} if is_recorded else {}),
        # VS Code cuts titles off if four buttons do not fit into one line.
        _MOCK.removeprefix("Run with ") if is_recorded else _MOCK: MockExecutor.name,
    }
    titles = [*choices, *([_INSTALL] if missing["extra"] else []), _AGENT]
    try:
        title = await client.choose(first_sentence(message), titles, types.MessageType.Error)
        if title == _AGENT:
            return await _with_agent(session, request)
        if title == _INSTALL:
            return await _install(client, request, missing["extra"])
    except CannotAskError:
        client.show(message)
        return None
    if title not in choices:
        return None
    return replace(request, executor=choices[title], agent_command="", agent_format="")


def _is_recorded(request: RunRequest) -> bool:
    """Whether recordings of the run's tasks lie beside the eval."""
    from waza_engine.executors.base import ExecutorError
    from waza_engine.executors.replay import recorded_trial
    from waza_engine.project.store_location import RECORDINGS_FOLDER

    folder = request.eval_path.parent / RECORDINGS_FOLDER
    if not request.tasks or not request.selects_tasks:
        return any(folder.rglob("*.json"))
    try:
        return all(recorded_trial(folder, it, 1) for it in request.tasks)
    except (ExecutorError, OSError):
        return False


async def _install(client: Client, request: RunRequest, extra: str) -> RunRequest | None:
    """Show the exact command, which the user starts. A terminal shows what an index answers."""
    from waza_engine.lib.extras import extra_packages, install_command

    command = install_command(extra)
    client.log(f"To install {', '.join(extra_packages(extra))}: {command}")
    if client.act("openTerminal", command=command):
        message = "Press Enter in the terminal to install it, then run again."
    else:
        message = f"Install it in a terminal, then run again: {command}"
    return request if await client.choose(message, [_AGAIN]) == _AGAIN else None


async def _with_agent(session: Session, request: RunRequest) -> RunRequest | None:
    """Ask for an agent among those that are installed, then whether to keep it."""
    from waza_engine.executors.known_agents import KNOWN_AGENTS, installed_agents

    client = session.client
    found = await asyncio.to_thread(installed_agents, os.environ)
    client.log(f"Agents searched on the PATH: {', '.join(it.program for it in KNOWN_AGENTS)}")
    message = "Which agent runs the tasks?" if found else "No known agent is on the PATH."
    title = await client.choose(message, [*(it.title for it in found), _OWN])
    if title == _OWN:
        if not client.act("openSetting", name=_SETTING):
            client.show(
                f"Set {_SETTING}, such as 'my-agent --print {{prompt}}', then run again.",
                types.MessageType.Info,
            )
        return None
    agent = next((it for it in found if it.title == title), None)
    if agent is None:
        return None
    how = await client.choose(f"{agent.title} runs as: {agent.command}", [_ONCE, _KEEP])
    if how == _KEEP:
        _keep(session, agent.command)
    if how not in {_ONCE, _KEEP}:
        return None
    return with_agent_command(replace(request, executor=""), agent.command)


def _keep(session: Session, command: str) -> None:
    """Store the agent in the settings of the editor, or until the server ends if only the user can do that."""
    configuration, client = session.configuration, session.client
    if configuration.settings.run_executor:
        # It takes precedence, and has just failed.
        client.act("saveSetting", name="waza.run.executor", value="")
    configuration.settings = replace(configuration.settings, run_agent_command=command, run_executor="")
    if not client.act("saveSetting", name=_SETTING, value=command):
        client.show(f'To keep it, set "{_SETTING}": "{command}"', types.MessageType.Info)


def with_agent_command(request: RunRequest, command: str) -> RunRequest:
    """Return the run with the agent of a setting; a run with a chosen executor stays as it is."""
    if request.executor or not command:
        return request
    from waza_engine.executors.command import CommandExecutor
    from waza_engine.executors.known_agents import format_of

    return replace(
        request, executor=CommandExecutor.name, agent_command=command, agent_format=format_of(command)
    )
