"""The acp executor: any agent that speaks the Agent Client Protocol over stdio, such as `copilot --acp --stdio`.

The protocol tells titles and kinds of tool calls, not their names, and nothing about skills; graders that need those have
no verdict. Needs the extra `acp`; the agent is the one of `--agent-command`. Each trial has a process of its own. The
agent works with its own tools in the workspace: reading and writing files through us is offered, terminals are not.
"""

import asyncio
import importlib
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from waza_engine import deathwatch
from waza_engine.executors.base import (
    ExecutorError,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
)
from waza_engine.executors.command import COMMAND_VARIABLE
from waza_engine.executors.event_log import EventLog
from waza_engine.trajectory import Trajectory

_INSTALL = "The executor 'acp' needs the agent client protocol; install it with: pip install 'waza-lsp[acp]'"
_GRACE_SECONDS = 2.0
_QUIET_SECONDS = 0.1
_LONGEST_LINE = 1 << 26
_DONE = frozenset(["completed", "failed"])


class AcpExecutor:
    """Talks to an agent over ACP."""

    name: ClassVar[str] = "acp"
    unknown: frozenset[str] = frozenset(["tool names", "skills"])

    def __init__(self, options: ExecutorOptions) -> None:
        self._environment = dict(options.environment or os.environ)
        self._command = options.agent_command or self._environment.get(COMMAND_VARIABLE, "")
        self._argv: list[str] = []
        self._acp: Any = None

    async def start(self) -> None:
        """See that there is an agent.

        Raises:
            UnavailableError: the library or the program is missing, or no command was given.

        """
        try:
            self._acp = importlib.import_module("acp")
        except ImportError as error:
            raise UnavailableError(_INSTALL) from error
        try:
            argv = shlex.split(self._command)
        except ValueError as error:
            raise UnavailableError(f"The agent command cannot be split: {error}") from error
        if not argv:
            raise UnavailableError(
                "The executor 'acp' needs an agent: --agent-command 'copilot --acp --stdio', "
                f"or the environment variable {COMMAND_VARIABLE}"
            )
        found = shutil.which(argv[0], path=self._environment.get("PATH"))
        if found is None:
            raise UnavailableError(f"The agent '{argv[0]}' was not found; install it, or name its whole path")
        self._argv = [os.path.abspath(found), *argv[1:]]  # noqa: ASYNC240, PTH100  # no file is touched

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        log, started = EventLog(), time.monotonic()

        def so_far() -> Trajectory:
            elapsed = round((time.monotonic() - started) * 1000)
            task = request.task
            return log.trajectory(task=task.id, model=request.model, prompt=task.prompt, duration_ms=elapsed)

        client = _Client(self._acp, log, progress, request.workspace_dir)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._argv,
                cwd=request.working_dir,
                env=self._environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
                limit=_LONGEST_LINE,
            )
        except (OSError, ValueError) as error:
            raise ExecutorError(f"The agent '{self._argv[0]}' cannot be started: {error}") from error
        deathwatch.watch(process.pid)
        try:
            connection = self._acp.connect_to_agent(client, process.stdin, process.stdout)
            try:
                await self._talk(connection, request, log, client.alive, so_far)
            finally:
                with suppress(Exception):
                    await connection.close()
        finally:
            await _ended(process)
            deathwatch.unwatch(process.pid)
        return so_far()

    async def triggered(self, request: TriggerRequest) -> bool:
        raise UnavailableError("the executor 'acp' cannot tell which skills were loaded")

    async def close(self) -> None:
        """Nothing to close: every trial has its own process."""

    async def _talk(
        self, connection: Any, request: TrialRequest, log: EventLog, alive: asyncio.Event, so_far: Any
    ) -> None:
        try:
            async with asyncio.timeout(request.timeout_seconds):
                session_id = await self._opened(connection, request)
        except TimeoutError:
            raise ExecutorError(f"The agent opened no session within {request.timeout_seconds:g} s") from None
        except Exception as error:
            raise ExecutorError(f"The agent opens no session: {_told(error)}") from error
        log.session_id = session_id
        for turn, prompt in enumerate(request.turns, 1):
            log.next_turn()
            alive.clear()
            log.add("user.message", {"content": prompt})
            log.add("assistant.turn_start", {})
            await self._turn(connection, session_id, prompt, request, log, alive)
            if not await request.after_turn(turn, so_far()) or log.error:
                break

    async def _opened(self, connection: Any, request: TrialRequest) -> str:
        schema = importlib.import_module("acp.schema")
        files = schema.FileSystemCapabilities(read_text_file=True, write_text_file=True)
        await connection.initialize(
            protocol_version=self._acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(fs=files, terminal=False),
        )
        session = await connection.new_session(cwd=str(request.working_dir), mcp_servers=[])
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
            _conclude(log, answer)
        finally:
            if not asking.done():
                asking.cancel()
                with suppress(Exception):
                    async with asyncio.timeout(_GRACE_SECONDS):
                        await connection.cancel(session_id=session_id)


class _Client:
    """Our side of the protocol: takes what the agent tells, approves what it asks for."""

    def __init__(self, acp: Any, log: EventLog, progress: Progress, workspace: Path) -> None:
        self._acp, self._log, self._progress = acp, log, progress
        self._workspace = workspace
        self.alive = asyncio.Event()

    def on_connect(self, conn: Any) -> None:
        """Nothing to keep: the run has the connection."""

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
        if told := _add(self._log, data):
            self._progress(told)

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> Any:
        lines = self._inside(path).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        start = max((line or 1) - 1, 0)
        kept = lines[start:] if limit is None else lines[start : start + limit]
        return self._acp.ReadTextFileResponse(content="".join(kept))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> Any:
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        return self._acp.WriteTextFileResponse()

    def _inside(self, path: str) -> Path:
        place = (self._workspace / path).resolve()
        if not place.is_relative_to(self._workspace):
            raise self._acp.RequestError.invalid_params({"path": "outside of the workspace"})
        return place


def _add(log: EventLog, update: Mapping[str, Any]) -> str:
    """An update of the protocol as an event; tool calls have a title where others have a name."""
    match update.get("sessionUpdate"):
        case "agent_message_chunk":
            return log.say_on(_text(update.get("content")))
        case "tool_call":
            identity = str(update.get("toolCallId") or "")
            told = log.add(
                "tool.execution_start",
                {
                    "toolCallId": identity,
                    "toolName": str(update.get("title") or update.get("kind") or "tool"),
                    "arguments": update.get("rawInput"),
                },
            )
            _tool_update(log, update)
            return told
        case "tool_call_update":
            _tool_update(log, update)
        case _:
            pass
    return ""


async def _quiet(alive: asyncio.Event) -> None:
    """Updates are handled beside the answer: wait until no more of them come in."""
    while True:
        alive.clear()
        try:
            async with asyncio.timeout(_QUIET_SECONDS):
                await alive.wait()
        except TimeoutError:
            return


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


def _conclude(log: EventLog, answer: Any) -> None:
    log.add("assistant.turn_end", {})
    data = answer.model_dump(by_alias=True, exclude_none=True)
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


def _told(error: Exception) -> str:
    return str(error) or type(error).__name__


async def _happened(alive: asyncio.Event, asking: "asyncio.Task[Any]", seconds: float) -> bool:
    seen = asyncio.create_task(alive.wait())
    done, _ = await asyncio.wait([seen, asking], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    seen.cancel()
    return bool(done)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End the agent with everything it has started."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
    await process.wait()
