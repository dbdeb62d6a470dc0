"""The command executor: starts any agent program in the task's workspace, once per turn.

The command is split like in a shell, but runs without one. The placeholders `{prompt}`, `{workspace}`, `{model}`,
`{session}` and `{turn}` are replaced; without `{prompt}` the prompt goes to standard input. `{session}` is the same for
all turns of a trial, so that the agent can resume its session. `{system}` is the text of skill and instruction files,
`{mcp_config}` a file with the MCP servers (`{"mcpServers": {...}}`, which most agents read); without these placeholders
the agent does not get them.

The output is read as `text` (all of it is the agent's answer) or as `copilot-jsonl` (the events that the Copilot CLI
prints with `--output-format json`). Tool calls, skills and tokens are unknown for plain text.
"""

import json
import os
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.executors.agent_command import COMMAND_VARIABLE, agent_argv, agent_identity, command_warning
from waza_engine.executors.agent_process import Limits, Lines, ProcessEnd, Program, run_agent
from waza_engine.executors.base import (
    ALLOWED_TOOLS,
    MCP_SERVERS,
    REASONING_EFFORT,
    SKILLS,
    SYSTEM_MESSAGE,
    TOKENS,
    TOOL_CALLS,
    ExecutorError,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
    workspace_of,
)
from waza_engine.executors.event_log import EventLog
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.lib.process.environment import program_environment, withheld_note
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory

FORMAT_VARIABLE = "WAZA_LSP_AGENT_FORMAT"
FORMATS = {
    "text": frozenset([TOOL_CALLS, SKILLS, TOKENS]),
    # The CLI's lines have no token counts.
    "copilot-jsonl": frozenset([TOKENS]),
}
"""The output formats, and what each leaves unknown."""
PLACEHOLDERS = ("prompt", "workspace", "model", "session", "turn", "system", "mcp_config")
"""The placeholders in the command, without braces."""
_MOST_BYTES = 2 << 20
"""How much plain text is kept as the agent's answer; the rest is discarded."""
_SAID_BYTES = 4000
"""The end of the output in which a failed agent may name the key that it lacks."""
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")


class CommandExecutor:
    """Runs the user's program as the agent."""

    name: ClassVar[str] = "command"
    unknown: frozenset[str] = FORMATS["text"]
    confines: ClassVar = True

    def __init__(self, options: ExecutorOptions) -> None:
        environment = options.environment or os.environ
        self._command = options.agent_command or environment.get(COMMAND_VARIABLE, "")
        self._format = options.agent_format or environment.get(FORMAT_VARIABLE, "") or "text"
        self._environment = environment
        self._argv: list[str] = []
        self.warning = command_warning(self._command)
        self.unknown = FORMATS.get(self._format, frozenset())
        placeholders = {SYSTEM_MESSAGE: "{system}", MCP_SERVERS: "{mcp_config}"}
        self.ignores = frozenset(
            [
                ALLOWED_TOOLS,
                REASONING_EFFORT,
                *(it for it, word in placeholders.items() if word not in self._command),
            ]
        )

    def identity(self) -> str:
        """Return a text that changes with the program and the output format."""
        return f"{self._format} {agent_identity(self._command, self._environment)}"

    async def start(self) -> None:
        """Check that the program exists.

        Raises:
            UnavailableError: the command is empty, cannot be split, has an unknown placeholder, or its program does not
                exist.

        """
        if self._format not in FORMATS:
            raise UnavailableError(
                f"Unknown agent format '{self._format}'. Known formats: {' and '.join(FORMATS)}"
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
                f"the executor 'command' does not know which skills were loaded: the format '{self._format}' has no skills"
            )
        with workspace_of(request) as folder:
            task = Task("trigger", "trigger", request.prompt)
            trial = TrialRequest(
                task,
                1,
                Path(os.path.realpath(folder)),  # noqa: ASYNC240  # fast enough
                model=request.model,
                timeout_seconds=request.timeout_seconds,
                skill_directories=request.skill_directories,
            )
            trajectory = await self.run(trial, lambda _line: None)
        has_loaded = any(it.name == request.skill for it in trajectory.skills)
        if trajectory.error and not has_loaded:
            # An agent that broke down has not decided against the skill.
            raise ExecutorError(trajectory.error, infrastructure=trajectory.infrastructure)
        return has_loaded

    async def close(self) -> None:
        """Do nothing: every turn has its own process."""

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

        def keep(piece: bytes) -> None:
            if len(printed) < _MOST_BYTES:
                printed.extend(piece)

        if self._format == "text":
            log.add("user.message", {"content": prompt})
        environment = self._environment_of(request, session)
        end = await run_agent(
            Program(argv, request.working_dir, environment, request.writable),
            stdin="" if is_argument else prompt,
            limits=Limits(request.timeout_seconds, request.first_event_timeout_seconds),
            on_output=keep if self._format == "text" else lines.add,
        )
        lines.end()
        if self._format == "text":
            log.say(printed.decode("utf-8", "replace").rstrip("\r\n"))
        log.error = log.error or _problem(end, log.turn)
        if log.error:
            note = withheld_note(
                self._environment, f"{end.stderr} {bytes(printed[-_SAID_BYTES:]).decode('utf-8', 'replace')}"
            )
            log.error += f". {note}" if note else ""

    def _environment_of(self, request: TrialRequest, session: str) -> Mapping[str, str]:
        own = {
            **request.environment,
            "WAZA_WORKSPACE_DIR": str(request.workspace_dir),
            "WAZA_LSP_TASK": request.task.id,
            "WAZA_LSP_TRIAL": str(request.trial),
            "WAZA_LSP_MODEL": request.model,
            "WAZA_LSP_SESSION": session,
            "WAZA_LSP_SKILL_DIRECTORIES": os.pathsep.join(str(it) for it in request.skill_directories),
        }
        return program_environment(self._environment, own, directory=request.working_dir)


@contextmanager
def _mcp_config(servers: Mapping[str, Any]) -> Iterator[str]:
    """A temporary file with the MCP servers, in the format that most agents read."""
    with temporary_folder() as folder:
        path = folder / "mcp.json"
        path.write_text(json.dumps({"mcpServers": dict(servers)}), encoding="utf-8")
        yield str(path)


def _problem(end: ProcessEnd, turn: int) -> str:
    if end.broken_limit:
        return f"{end.broken_limit} (turn {turn})"
    if end.status:
        stderr = f": {end.stderr}" if end.stderr else ""
        return f"The agent ended with exit code {end.status}{stderr}"
    return ""


def _reader(log: EventLog, progress: Progress) -> Callable[[bytes], None]:
    """A function that logs lines with JSON events and ignores other lines."""

    def on_line(line: bytes) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(event, dict) or not isinstance(event.get("type"), str):
            return
        if event["type"] == "result":
            log.session_id = str(event.get("sessionId") or log.session_id)
            return
        data = event.get("data")
        if shown := log.add(event["type"], data if isinstance(data, dict) else {}):
            progress(shown)

    return on_line
