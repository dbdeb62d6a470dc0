"""The command executor: any agent program, started anew for every turn in the task's workspace.

The command is split as a shell would split it, and executed without one. `{prompt}`, `{workspace}`, `{model}`,
`{session}` and `{turn}` in it are replaced; without `{prompt}` the prompt goes to the program's standard input. The
session is the same text for all turns of a trial, so that an agent with a memory can be told to go on. `{system}` is the
text of skill and instruction files, `{mcp_config}` a file with the MCP servers (`{"mcpServers": {...}}`, as most agents
read it): without these words in the command the agent does not get them.

What it prints is read as `text` (all of it is the agent's answer) or as `copilot-jsonl` (the events that the Copilot CLI
prints with `--output-format json`). Of plain text nobody knows tool calls, skills or tokens.
"""

import json
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.executors.agent_command import COMMAND_VARIABLE, agent_argv, agent_identity, shell_words
from waza_engine.executors.agent_process import Ended, Limits, Lines, run_agent
from waza_engine.executors.base import (
    ALLOWED_TOOLS,
    MCP_SERVERS,
    REASONING_EFFORT,
    SKILLS,
    SYSTEM_MESSAGE,
    TOKENS,
    TOOL_CALLS,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
    workspace_of,
)
from waza_engine.executors.event_log import EventLog
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory

FORMAT_VARIABLE = "WAZA_LSP_AGENT_FORMAT"
FORMATS = {
    "text": frozenset([TOOL_CALLS, SKILLS, TOKENS]),
    # The CLI's lines have no token counts.
    "copilot-jsonl": frozenset([TOKENS]),
}
"""The output formats, and what is unknown in each."""
PLACEHOLDERS = ("prompt", "workspace", "model", "session", "turn", "system", "mcp_config")
"""The words that are replaced in the command, without their braces."""
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")


class CommandExecutor:
    """Runs a program of the user's as the agent."""

    name: ClassVar[str] = "command"
    unknown: frozenset[str] = FORMATS["text"]

    def __init__(self, options: ExecutorOptions) -> None:
        environment = options.environment or os.environ
        self._command = options.agent_command or environment.get(COMMAND_VARIABLE, "")
        self._format = options.agent_format or environment.get(FORMAT_VARIABLE, "") or "text"
        self._environment = environment
        self._argv: list[str] = []
        self.warning = shell_words(self._command)
        self.unknown = FORMATS.get(self._format, frozenset())
        offered = {SYSTEM_MESSAGE: "{system}", MCP_SERVERS: "{mcp_config}"}
        self.ignores = frozenset(
            [
                ALLOWED_TOOLS,
                REASONING_EFFORT,
                *(it for it, word in offered.items() if word not in self._command),
            ]
        )

    def identity(self) -> str:
        """What changes with the program that is started, and how its output is read."""
        return f"{self._format} {agent_identity(self._command, self._environment)}"

    async def start(self) -> None:
        """See that there is a program.

        Raises:
            UnavailableError: no command was given, it cannot be split, holds an unknown word, or its program is not there.

        """
        if self._format not in FORMATS:
            raise UnavailableError(
                f"There is no agent format '{self._format}'; there are {' and '.join(FORMATS)}"
            )
        self._argv = agent_argv(
            self._command,
            self._environment,
            executor=self.name,
            example="my-agent --print {prompt}",
            placeholders=PLACEHOLDERS,
        )

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        log = EventLog(session_id=str(uuid.uuid4()))
        session = log.session_id
        prompt: str | None = request.task.prompt
        while prompt is not None:
            log.next_turn()
            await self._turn(request, prompt, session, log, progress)
            prompt = await request.after_turn(log.turn, log.so_far(request.task, request.model))
        return log.so_far(request.task, request.model)

    async def triggered(self, request: TriggerRequest) -> bool:
        if SKILLS in self.unknown:
            raise UnavailableError(
                f"the executor 'command' cannot tell from the format '{self._format}' which skills were loaded"
            )
        with workspace_of(request) as folder:
            task = Task("trigger", "trigger", request.prompt)
            trial = TrialRequest(
                task,
                1,
                Path(os.path.realpath(folder)),  # noqa: ASYNC240  # in no time
                model=request.model,
                timeout_seconds=request.timeout_seconds,
                skill_directories=request.skill_directories,
            )
            done = await self.run(trial, lambda _line: None)
        return any(it.name == request.skill for it in done.skills)

    async def close(self) -> None:
        """Nothing to close: every turn has its own process."""

    async def _turn(
        self, request: TrialRequest, prompt: str, session: str, log: EventLog, progress: Progress
    ) -> None:
        with _mcp_config(request.mcp_servers) as config:
            await self._turn_with(config, request, prompt, session, log, progress)

    async def _turn_with(
        self, config: str, request: TrialRequest, prompt: str, session: str, log: EventLog, progress: Progress
    ) -> None:
        values = {
            "prompt": prompt,
            "workspace": str(request.workspace_dir),
            "model": request.model,
            "session": session,
            "turn": str(log.turn),
            "system": request.system_message,
            "mcp_config": config,
        }
        argv = [self._argv[0], *(_PLACEHOLDER.sub(lambda it: values[it[1]], arg) for arg in self._argv[1:])]
        is_argument = any("{prompt}" in it for it in self._argv)
        printed, lines = bytearray(), Lines(_reader(log, progress))
        if self._format == "text":
            log.add("user.message", {"content": prompt})
        ended = await run_agent(
            argv,
            cwd=request.working_dir,
            environment=self._environment_of(request, session),
            stdin="" if is_argument else prompt,
            limits=Limits(request.timeout_seconds, request.first_event_timeout_seconds),
            on_output=printed.extend if self._format == "text" else lines.add,
        )
        lines.end()
        if self._format == "text":
            log.say(printed.decode("utf-8", "replace").rstrip("\r\n"))
        log.error = log.error or _problem(ended, log.turn)

    def _environment_of(self, request: TrialRequest, session: str) -> Mapping[str, str]:
        return {
            **self._environment,
            **request.environment,
            "WAZA_WORKSPACE_DIR": str(request.workspace_dir),
            "WAZA_LSP_TASK": request.task.id,
            "WAZA_LSP_TRIAL": str(request.trial),
            "WAZA_LSP_MODEL": request.model,
            "WAZA_LSP_SESSION": session,
            "WAZA_LSP_SKILL_DIRECTORIES": os.pathsep.join(str(it) for it in request.skill_directories),
        }


@contextmanager
def _mcp_config(servers: Mapping[str, Any]) -> Iterator[str]:
    """A file with the MCP servers, in the form that most agents read; there for as long as the turn."""
    with temporary_folder() as folder:
        path = folder / "mcp.json"
        path.write_text(json.dumps({"mcpServers": dict(servers)}), encoding="utf-8")
        yield str(path)


def _problem(ended: Ended, turn: int) -> str:
    if ended.broken_limit:
        return f"{ended.broken_limit} (turn {turn})"
    if ended.status:
        said = f": {ended.stderr}" if ended.stderr else ""
        return f"The agent ended with exit code {ended.status}{said}"
    return ""


def _reader(log: EventLog, progress: Progress) -> Callable[[bytes], None]:
    """Takes lines of JSON events; lines that are none are passed over."""

    def on_line(line: bytes) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            return
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            return
        if event["type"] == "result":
            log.session_id = str(event.get("sessionId") or log.session_id)
            return
        data = event.get("data")
        if told := log.add(event["type"], data if isinstance(data, dict) else {}):
            progress(told)

    return on_line
