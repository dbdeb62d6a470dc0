"""The acp executor: runs any agent that speaks the Agent Client Protocol over stdio, such as `copilot --acp --stdio`.

Needs the extra `acp`; `--agent-command` names the agent. Each trial has its own process. The agent uses its own tools
in the workspace. We approve its permission requests and serve file reads and writes, but no terminals. The protocol has
titles and kinds of tool calls but not their names, and nothing about skills; graders that need those have no verdict.
"""

import asyncio
import importlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.executors.agent_command import COMMAND_VARIABLE, agent_argv, agent_identity, command_warning
from waza_engine.executors.agent_process import LONGEST_LINE, Program, agent, responds
from waza_engine.executors.base import (
    ALLOWED_TOOLS,
    REASONING_EFFORT,
    SKILLS,
    SYSTEM_MESSAGE,
    TOOL_NAMES,
    ExecutorError,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
)
from waza_engine.executors.event_log import EventLog
from waza_engine.lib.extras import install_command
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.paths import real_path
from waza_engine.lib.process.child import Streams
from waza_engine.lib.process.environment import program_environment
from waza_engine.model.trajectory import Trajectory

_DONE = frozenset(["completed", "failed"])
_EXTRA = "acp"
_GRACE_SECONDS = 2.0
_LOGIN_NEEDED = -32000
"""The protocol's error code of an agent whose user has to log in."""
_QUIET_SECONDS = 0.1


class Client:
    """Our side of the protocol, which the agent calls. Every update from the agent sets `alive`."""

    def __init__(self, acp: Any, log: EventLog, progress: Progress, workspace: Path) -> None:
        self._acp, self._log, self._progress = acp, log, progress
        self._workspace = workspace
        self.alive = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        """Do nothing: the executor already has the connection."""

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **_: Any) -> Any:
        schema = importlib.import_module("acp.schema")
        allowed = [it for it in options if str(it.kind).startswith("allow")]
        if not allowed:
            outcome: Any = schema.DeniedOutcome(outcome="cancelled")
        else:
            outcome = schema.AllowedOutcome(outcome="selected", option_id=allowed[0].option_id)
        return self._acp.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.alive.set()
        data = update.model_dump(by_alias=True, exclude_none=True)
        if line := _add(self._log, data):
            self._progress(line)

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> Any:
        lines = (
            regular_bytes(self._inside(path), anywhere=True)
            .decode("utf-8", "replace")
            .splitlines(keepends=True)
        )
        start = max((line or 1) - 1, 0)
        selected = lines[start:] if limit is None else lines[start : start + limit]
        return self._acp.ReadTextFileResponse(content="".join(selected))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        return self._acp.WriteTextFileResponse()

    def _inside(self, path: str) -> Path:
        target = real_path(self._workspace / path)
        if not target.is_relative_to(self._workspace):
            raise self._acp.RequestError.invalid_params({"path": "outside of the workspace"})
        return target


def _add(log: EventLog, update: Mapping[str, Any]) -> str:
    """Log an update as an event; a tool call's title serves as its name. Return a line worth showing, or ""."""
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            return log.add_chunk(_text(update.get("content")))
        case "tool_call":
            identity = str(update.get("toolCallId") or "")
            line = log.add(
                "tool.execution_start",
                {
                    "toolCallId": identity,
                    "toolName": str(update.get("title") or update.get("kind") or "tool"),
                    "arguments": update.get("rawInput"),
                },
            )
            _tool_update(log, update)
            return line
        case "tool_call_update":
            _tool_update(log, update)
        case _:
            pass
    return ""


def _tool_update(log: EventLog, update: Mapping[str, Any]) -> None:
    if update.get("status") in _DONE:
        result = update.get("rawOutput") or {"content": update.get("content")}
        log.add(
            "tool.execution_complete",
            {
                "toolCallId": str(update.get("toolCallId") or ""),
                "success": update.get("status") == "completed",
                "result": result,
            },
        )


def _end_turn(log: EventLog, response: Any) -> None:
    """Log the agent's response at the end of a turn: usage, and why it stopped."""
    log.add("assistant.turn_end", {})
    data = response.model_dump(by_alias=True, exclude_none=True)
    usage = data.get("usage")
    if isinstance(usage, Mapping):
        log.add(
            "assistant.usage",
            {
                "inputTokens": usage.get("inputTokens"),
                "outputTokens": usage.get("outputTokens"),
                "cacheReadTokens": usage.get("cachedReadTokens"),
                "cacheWriteTokens": usage.get("cachedWriteTokens"),
            },
        )
    if data.get("stopReason") in {"refusal", "cancelled"}:
        log.error = f"The agent stopped: {data['stopReason']}"


def _text(content: Any) -> str:
    return str(content.get("text") or "") if isinstance(content, Mapping) else ""


class AcpExecutor:
    """Runs trials with an agent over ACP."""

    name: ClassVar[str] = "acp"
    unknown: frozenset[str] = frozenset([TOOL_NAMES, SKILLS])
    ignores: ClassVar = frozenset([SYSTEM_MESSAGE, SKILLS, ALLOWED_TOOLS, REASONING_EFFORT])
    confines: ClassVar = True

    def __init__(self, options: ExecutorOptions) -> None:
        self._environment = dict(options.environment or os.environ)
        self._command = options.agent_command or self._environment.get(COMMAND_VARIABLE, "")
        self._argv: list[str] = []
        self.warning = command_warning(self._command)
        self._acp: Any = None

    def identity(self) -> str:
        """Return a text that changes with the agent program."""
        return agent_identity(self._command, self._environment)

    async def start(self) -> None:
        """Check that the agent exists.

        Raises:
            UnavailableError: the library or the program is missing, or the command is empty or has placeholders.

        """
        try:
            self._acp = importlib.import_module("acp")
        except ImportError as error:
            message = (
                f"The Agent Client Protocol is not installed. Install it with: {install_command(_EXTRA)}"
            )
            raise UnavailableError(message, extra=_EXTRA) from error
        self._argv = agent_argv(
            self._command,
            self._environment,
            executor=self.name,
            example="copilot --acp --stdio",
            placeholders=(),
        )

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        log = EventLog()
        client = Client(self._acp, log, progress, request.workspace_dir)
        environment = program_environment(
            self._environment, request.environment, directory=request.working_dir
        )
        program = Program(self._argv, request.working_dir, environment, request.writable)
        async with agent(program, Streams(line_limit=LONGEST_LINE)) as child:
            connection = self._acp.connect_to_agent(client, child.stdin, child.stdout)
            try:
                await self._talk(connection, request, log, client.alive)
            finally:
                with suppress(Exception):
                    await connection.close()
        return log.so_far(request.task, request.model)

    async def triggered(self, request: TriggerRequest) -> bool:
        raise UnavailableError("the executor 'acp' does not know which skills were loaded")

    async def close(self) -> None:
        """Do nothing: every trial has its own process."""

    async def _talk(
        self, connection: Any, request: TrialRequest, log: EventLog, alive: asyncio.Event
    ) -> None:
        try:
            async with asyncio.timeout(request.timeout_seconds):
                session_id = await self._open_session(connection, request)
        except TimeoutError:
            raise ExecutorError(
                f"The agent did not open a session within {request.timeout_seconds:g} s", infrastructure=True
            ) from None
        except Exception as error:
            raise ExecutorError(
                f"The agent did not open a session: {_error_text(error)}", infrastructure=True
            ) from error
        log.session_id = session_id
        prompt: str | None = request.task.prompt
        while prompt is not None:
            log.next_turn()
            alive.clear()
            log.add("user.message", {"content": prompt})
            log.add("assistant.turn_start", {})
            await self._turn(connection, session_id, prompt, request, log, alive)
            prompt = await request.after_turn(log.turn, log.so_far(request.task, request.model))

    async def _open_session(self, connection: Any, request: TrialRequest) -> str:
        schema = importlib.import_module("acp.schema")
        files = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
        await connection.initialize(
            protocol_version=self._acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(fs=files, terminal=False),
        )
        servers = [_server(schema, name, it) for name, it in request.mcp_servers.items()]
        session = await connection.new_session(cwd=str(request.working_dir), mcp_servers=servers)
        return str(session.session_id)

    async def _turn(
        self,
        connection: Any,
        session_id: str,
        prompt: str,
        request: TrialRequest,
        log: EventLog,
        alive: asyncio.Event,
    ) -> None:
        first = request.first_event_timeout_seconds
        prompting = asyncio.create_task(
            connection.prompt(prompt=[self._acp.text_block(prompt)], session_id=session_id)
        )
        try:
            async with asyncio.timeout(request.timeout_seconds):
                if not await responds(alive, prompting, first):
                    log.error = f"no output within {first:g} s (turn {log.turn})"
                    return
                response = await prompting
                await _quiet(alive)
        except TimeoutError:
            log.error = f"timed out after {request.timeout_seconds:g} s (turn {log.turn})"
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # the agent's failure is the trial's error; what exists is graded
            # An agent that fails answers with an error or a stop reason. Without an answer, its process is gone.
            log.infrastructure = isinstance(error, OSError) or getattr(error, "code", None) == _LOGIN_NEEDED
            log.error = (
                f"The agent {'is gone' if isinstance(error, OSError) else 'failed'}: {_error_text(error)}"
            )
        else:
            _end_turn(log, response)
        finally:
            if not prompting.done():
                prompting.cancel()
                with suppress(Exception):
                    async with asyncio.timeout(_GRACE_SECONDS):
                        await connection.cancel(session_id=session_id)


def _server(schema: Any, name: str, server: Mapping[str, Any]) -> Any:
    """Convert an MCP server of the eval for the protocol. It always offers all its tools: the protocol cannot restrict them."""
    if server.get("url"):
        kind = schema.SseMcpServer if server.get("type") == "sse" else schema.HttpMcpServer
        headers = [schema.HttpHeader(name=key, value=it) for key, it in (server.get("headers") or {}).items()]
        return kind(name=name, type=server.get("type") or "http", url=str(server["url"]), headers=headers)
    variables = [schema.EnvVariable(name=key, value=it) for key, it in (server.get("env") or {}).items()]
    return schema.McpServerStdio(
        name=name,
        command=str(server.get("command") or ""),
        args=list(server.get("args") or ()),
        env=variables,
    )


def _error_text(error: Exception) -> str:
    return str(error) or type(error).__name__


async def _quiet(alive: asyncio.Event) -> None:
    """Wait until no more updates arrive: they are handled concurrently with the response."""
    while True:
        alive.clear()
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                await alive.wait()
        except TimeoutError:
            return
