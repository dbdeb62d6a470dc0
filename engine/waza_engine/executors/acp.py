"""The acp executor: any agent that speaks the Agent Client Protocol over stdio, such as `copilot --acp --stdio`.

The protocol tells titles and kinds of tool calls, not their names, and nothing about skills; graders that need those have
no verdict. Needs the extra `acp`; the agent is the one of `--agent-command`. Each trial has a process of its own. The
agent works with its own tools in the workspace: reading and writing files through us is offered, terminals are not.
"""

import asyncio
import importlib
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from waza_engine import deathwatch
from waza_engine.executors.acp_client import Client, conclude
from waza_engine.executors.agent_command import COMMAND_VARIABLE, agent_argv, agent_identity, shell_words
from waza_engine.executors.agent_process import end
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
from waza_engine.starting import start_program
from waza_engine.trajectory import Trajectory

_INSTALL = "The executor 'acp' needs the agent client protocol; install it with: pip install 'waza-lsp[acp]'"
_GRACE_SECONDS = 2.0
_QUIET_SECONDS = 0.1
_LONGEST_LINE = 1 << 26


class AcpExecutor:
    """Talks to an agent over ACP."""

    name: ClassVar[str] = "acp"
    unknown: frozenset[str] = frozenset([TOOL_NAMES, SKILLS])
    ignores: ClassVar = frozenset([SYSTEM_MESSAGE, SKILLS, ALLOWED_TOOLS, REASONING_EFFORT])

    def __init__(self, options: ExecutorOptions) -> None:
        self._environment = dict(options.environment or os.environ)
        self._command = options.agent_command or self._environment.get(COMMAND_VARIABLE, "")
        self._argv: list[str] = []
        self.warning = shell_words(self._command)
        self._acp: Any = None

    def identity(self) -> str:
        """What changes with the agent that is started."""
        return agent_identity(self._command, self._environment)

    async def start(self) -> None:
        """See that there is an agent.

        Raises:
            UnavailableError: the library or the program is missing, no command was given, or one with words to replace.

        """
        try:
            self._acp = importlib.import_module("acp")
        except ImportError as error:
            raise UnavailableError(_INSTALL) from error
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
        try:
            process = await start_program(
                *self._argv,
                cwd=request.working_dir,
                env={**self._environment, **request.environment},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
            )
        except (OSError, ValueError) as error:
            raise ExecutorError(f"The agent '{self._argv[0]}' cannot be started: {error}") from error
        try:
            connection = self._acp.connect_to_agent(client, process.stdin, process.stdout)
            try:
                await self._talk(connection, request, log, client.alive)
            finally:
                with suppress(Exception):
                    await connection.close()
        finally:
            await end(process)
            deathwatch.unwatch(process.pid)
        return log.so_far(request.task, request.model)

    async def triggered(self, request: TriggerRequest) -> bool:
        raise UnavailableError("the executor 'acp' cannot tell which skills were loaded")

    async def close(self) -> None:
        """Nothing to close: every trial has its own process."""

    async def _talk(
        self, connection: Any, request: TrialRequest, log: EventLog, alive: asyncio.Event
    ) -> None:
        try:
            async with asyncio.timeout(request.timeout_seconds):
                session_id = await self._opened(connection, request)
        except TimeoutError:
            raise ExecutorError(f"The agent opened no session within {request.timeout_seconds:g} s") from None
        except Exception as error:
            raise ExecutorError(f"The agent opens no session: {_told(error)}") from error
        log.session_id = session_id
        prompt: str | None = request.task.prompt
        while prompt is not None:
            log.next_turn()
            alive.clear()
            log.add("user.message", {"content": prompt})
            log.add("assistant.turn_start", {})
            await self._turn(connection, session_id, prompt, request, log, alive)
            prompt = await request.after_turn(log.turn, log.so_far(request.task, request.model))

    async def _opened(self, connection: Any, request: TrialRequest) -> str:
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
        asking = asyncio.create_task(
            connection.prompt(prompt=[self._acp.text_block(prompt)], session_id=session_id)
        )
        try:
            async with asyncio.timeout(request.timeout_seconds):
                if first and not await _happened(alive, asking, first):
                    log.error = f"no sign of life within {first:g} s (turn {log.turn})"
                    return
                answer = await asking
                await _quiet(alive)
        except TimeoutError:
            log.error = f"timed out after {request.timeout_seconds:g} s (turn {log.turn})"
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # what the agent answers is its error; what there is gets graded
            log.error = f"The agent failed: {_told(error)}"
        else:
            conclude(log, answer)
        finally:
            if not asking.done():
                asking.cancel()
                with suppress(Exception):
                    async with asyncio.timeout(_GRACE_SECONDS):
                        await connection.cancel(session_id=session_id)


def _server(schema: Any, name: str, server: Mapping[str, Any]) -> Any:
    """An MCP server of the eval in the protocol's words. All its tools are offered: there is no word for fewer."""
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


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


async def _quiet(alive: asyncio.Event) -> None:
    """Updates are handled beside the answer: wait until no more of them come in."""
    while True:
        alive.clear()
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                await alive.wait()
        except TimeoutError:
            return


async def _happened(alive: asyncio.Event, asking: "asyncio.Task[Any]", seconds: float) -> bool:
    seen = asyncio.create_task(alive.wait())
    done, _ = await asyncio.wait([seen, asking], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    seen.cancel()
    return bool(done)
