"""The copilot-sdk executor: runs the Copilot CLI as the agent, like waza.

See docs/reference/waza-formats.md, sections 13.3 and 16.

One CLI process serves the whole run; every trial has its own session. Needs the extra `copilot` and a CLI: the one
that COPILOT_CLI_PATH names, or `copilot` on the PATH. With COPILOT_PROVIDER_BASE_URL the model is the user's own, and
no login is needed. The SDK takes a second to import, so it is imported when the run starts.
"""

import asyncio
import importlib
import logging
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from waza_engine.executors.agent_process import responds
from waza_engine.executors.base import (
    AGENT_COMMAND,
    ExecutorError,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
    workspace_of,
)
from waza_engine.executors.copilot_cli import cli_environment, cli_path, mcp_server, provider
from waza_engine.executors.event_log import EventLog
from waza_engine.executors.tool_names import all_names
from waza_engine.lib.extras import install_command
from waza_engine.lib.files.digests import file_digest
from waza_engine.lib.process.environment import program_environment
from waza_engine.model.trajectory import Trajectory

_EXTRA, _DISTRIBUTION = "copilot", "github-copilot-sdk"
_SIGN_IN = (
    "You are not signed in to Copilot. Start 'copilot' and use /login, set GITHUB_TOKEN, or set COPILOT_PROVIDER_BASE_URL "
    "to your own model endpoint"
)
_ABORT_SECONDS = 5.0
_PROCESS_EXITED = "ProcessExitedError"
"""The SDK's error for a CLI that has ended (by name: the SDK is imported late)."""
_CREDENTIALS = ("COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST")
"""The variables by which the CLI signs in."""


class CopilotExecutor:
    """Runs trials as sessions of one Copilot CLI."""

    name: ClassVar[str] = "copilot-sdk"
    unknown: frozenset[str] = frozenset()
    ignores: ClassVar = frozenset([AGENT_COMMAND])

    def __init__(self, options: ExecutorOptions) -> None:
        self._environment = dict(options.environment or os.environ)
        self._model = options.model or self._environment.get("COPILOT_MODEL", "")
        self._provider = provider(self._environment)
        self._sdk: Any = None
        self._cli = ""
        self._client: Any = None
        self._sessions: list[str] = []

    def identity(self) -> str:
        """Return a text that changes with the versions of the SDK and of the CLI."""
        # Imported late: only runs need it.
        from importlib.metadata import PackageNotFoundError, version

        try:
            sdk = version(_DISTRIBUTION)
        except PackageNotFoundError:
            sdk = ""
        cli = cli_path(self._environment)
        return repr(
            (
                sdk,
                file_digest(Path(cli)) if cli else "",
                self._environment.get("COPILOT_PROVIDER_BASE_URL", ""),
            )
        )

    async def start(self) -> None:
        """Start the CLI.

        Raises:
            UnavailableError: the SDK or the CLI is missing, or the user is not signed in.

        """
        self._sdk = _import_sdk()
        # The SDK logs calls that an older CLI does not know as errors with tracebacks, then works without them.
        logging.getLogger("copilot").setLevel(logging.CRITICAL)
        self._cli = cli_path(self._environment)
        if not self._cli:
            raise UnavailableError(
                "Copilot CLI not found. Install it with 'npm install -g @github/copilot', or set COPILOT_CLI_PATH"
            )
        self._client = await self._start_client({})
        try:
            signed_in = bool(self._provider) or (await self._client.get_auth_status()).isAuthenticated
        except Exception as error:
            raise UnavailableError(
                f"Cannot check the Copilot login: {error}. Start 'copilot' to see the problem"
            ) from error
        if not signed_in:
            raise UnavailableError(_SIGN_IN)

    async def _start_client(self, environment: Mapping[str, str]) -> Any:
        """Start a CLI with additional environment variables."""
        client = self._sdk.CopilotClient(
            connection=self._sdk.RuntimeConnection.for_stdio(path=self._cli),
            env=program_environment(
                cli_environment(self._environment, self._model), environment, names=_CREDENTIALS
            ),
            log_level="error",
            use_logged_in_user=not self._provider,
        )
        try:
            await client.start()
        except Exception as error:
            raise UnavailableError(f"The Copilot CLI {self._cli} cannot be started: {error}") from error
        return client

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        log, alive = EventLog(), asyncio.Event()
        model = request.model or self._model
        async with self._client_for(request) as client:
            session = await self._session(client, self._trial_options(request))
            log.session_id = session.session_id
            session.on(_listener(log, progress, alive))
            try:
                prompt: str | None = request.task.prompt
                while prompt is not None:
                    log.next_turn()
                    alive.clear()
                    await self._turn(session, prompt, request, log, alive)
                    prompt = await request.after_turn(log.turn, log.so_far(request.task, model))
            finally:
                await self._disconnect(session)
        return log.so_far(request.task, model)

    @asynccontextmanager
    async def _client_for(self, request: TrialRequest) -> AsyncIterator[Any]:
        """The CLI of the run, or a separate one for a trial with its own environment."""
        if not request.environment:
            yield self._client
            return
        client = await self._start_client(request.environment)
        try:
            yield client
        finally:
            await _stop(client)

    async def triggered(self, request: TriggerRequest) -> bool:
        log, invoked = EventLog(), asyncio.Event()

        def listen(event: Any) -> None:
            log.add(event.type.value, event.data.to_dict())
            if any(it.name == request.skill for it in log.skills):
                invoked.set()

        with workspace_of(request) as folder:
            session = await self._session(
                self._client,
                self._options(request.model, folder, [str(it) for it in request.skill_directories]),
            )
            session.on(listen)
            sending = asyncio.create_task(
                session.send_and_wait(request.prompt, timeout=request.timeout_seconds)
            )
            seen = asyncio.create_task(invoked.wait())
            try:
                # The result is known once the skill is loaded; the rest of the turn would only cost money.
                await asyncio.wait([sending, seen], return_when=asyncio.FIRST_COMPLETED)
                problem = sending.exception() if sending.done() else None
            finally:
                await _cancel(sending, seen)
                await self._abort(session)
                await self._disconnect(session)
        if not invoked.is_set() and (problem or log.error):
            raise ExecutorError(
                log.error or str(problem) or type(problem).__name__, infrastructure=log.infrastructure
            )
        return invoked.is_set()

    async def close(self) -> None:
        """Delete the sessions and stop the CLI."""
        if self._client is None:
            return
        with suppress(Exception):
            async with asyncio.timeout(_ABORT_SECONDS):
                for session in self._sessions:
                    await self._client.delete_session(session)
        await _stop(self._client)
        self._client = None

    async def _turn(
        self, session: Any, prompt: str, request: TrialRequest, log: EventLog, alive: asyncio.Event
    ) -> None:
        first, whole = request.first_event_timeout_seconds, request.timeout_seconds
        sending = asyncio.create_task(session.send_and_wait(prompt, timeout=whole + _ABORT_SECONDS))
        try:
            if not await responds(alive, sending, min(first, whole)):
                log.error = log.error or f"no output within {min(first, whole):g} s (turn {log.turn})"
                return
            async with asyncio.timeout(whole):
                await sending
        except TimeoutError:
            log.error = log.error or f"timed out after {whole:g} s (turn {log.turn})"
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001  # the SDK's error is the trial's error; what exists is graded
            # The CLI itself is gone, whatever the agent did.
            log.infrastructure = log.infrastructure or (not log.error and _is_gone(error))
            log.error = log.error or str(error) or type(error).__name__
        finally:
            if not sending.done() or log.error:
                await _cancel(sending)
                await self._abort(session)

    def _trial_options(self, request: TrialRequest) -> dict[str, Any]:
        folders = [str(it) for it in request.skill_directories]
        options = self._options(request.model, str(request.working_dir), folders)
        if request.baseline:
            options["enable_skills"] = False
        if request.reasoning_effort:
            options["reasoning_effort"] = request.reasoning_effort
        if request.mcp_servers:
            options["mcp_servers"] = {name: mcp_server(dict(it)) for name, it in request.mcp_servers.items()}
        if request.system_message:
            options["system_message"] = {"mode": "append", "content": request.system_message}
        if request.allowed_tools is not None:
            options["available_tools"] = list(all_names(request.allowed_tools))
        return options

    def _options(self, model: str, directory: str, skill_directories: list[str]) -> dict[str, Any]:
        options: dict[str, Any] = {
            "on_permission_request": self._sdk.PermissionHandler.approve_all,
            "model": model or self._model or None,
            "working_directory": directory,
            "skill_directories": skill_directories or None,
            "provider": self._provider or None,
        }
        return {key: value for key, value in options.items() if value is not None}

    async def _session(self, client: Any, options: dict[str, Any]) -> Any:
        try:
            session = await client.create_session(**options)
        except Exception as error:
            raise ExecutorError(
                f"The Copilot CLI did not open a session: {error}", infrastructure=True
            ) from error
        self._sessions.append(session.session_id)
        return session

    async def _abort(self, session: Any) -> None:
        with suppress(Exception):
            async with asyncio.timeout(_ABORT_SECONDS):
                await session.abort()

    async def _disconnect(self, session: Any) -> None:
        """Disconnect from the session. It stays on disk until the run ends, because a judge may continue it."""
        with suppress(Exception):
            async with asyncio.timeout(_ABORT_SECONDS):
                await session.disconnect()


def _listener(log: EventLog, progress: Progress, alive: asyncio.Event) -> Callable[[Any], None]:
    def listen(event: Any) -> None:
        kind = event.type.value
        if kind.startswith(("assistant.", "tool.", "model.", "session.error")):
            alive.set()
        if line := log.add(kind, event.data.to_dict()):
            progress(line)

    return listen


def _is_gone(error: Exception) -> bool:
    return isinstance(error, OSError | EOFError) or type(error).__name__ == _PROCESS_EXITED


async def _stop(client: Any) -> None:
    try:
        async with asyncio.timeout(_ABORT_SECONDS):
            await client.stop()
    except Exception:  # noqa: BLE001  # the CLI must end, whatever the SDK reports
        await client.force_stop()


async def _cancel(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _import_sdk() -> Any:
    try:
        return importlib.import_module("copilot")
    except ImportError as error:
        message = f"The Copilot SDK is not installed. Install it with: {install_command(_EXTRA)}"
        raise UnavailableError(message, extra=_EXTRA) from error
