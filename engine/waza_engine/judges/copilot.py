"""The Copilot CLI as a judge, as in waza: the only judge that can continue an agent's session.

Needs the extra `copilot` (the Copilot SDK) and an installed CLI. Both are looked up when a turn starts, because
importing the SDK takes a second.
"""

import asyncio
import importlib
import logging
import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from waza_engine.judges.patience import breaker_of, with_retries
from waza_engine.judges.replies import json_reply
from waza_engine.lib.extras import install_command
from waza_engine.lib.redaction import Redactor
from waza_engine.model.judge import JudgeCall, JudgeError, JudgeRequest, JudgeTool, JudgeTurn

_ABOUT = "the judge of the Copilot CLI"
_BUSY_CODES = frozenset([408, 425, 429])
_SERVER_ERROR = 500
_USAGE = {"input_tokens": "inputTokens", "output_tokens": "outputTokens", "cost": "cost"}


@dataclass(frozen=True, slots=True)
class CopilotJudge:
    """Starts a CLI for each turn. With an empty `cli_path` the SDK looks for one.

    `provider` is the SDK's description of the user's own model endpoint; None uses the signed-in account.
    `environment` is added to that of the CLI.
    """

    model: str = ""
    cli_path: str = ""
    provider: Mapping[str, Any] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Run one turn in a new session, or in the agent's. Rate limits and temporary failures are retried."""
        if request.retried:
            return self._turn(request)
        return with_retries(lambda: self._turn(request), about=_ABOUT)

    def _turn(self, request: JudgeRequest) -> JudgeTurn:
        breaker = breaker_of(_ABOUT)
        breaker.check(time.monotonic())
        turn = _Turn(self, request)
        try:
            asyncio.run(turn.run())
        except JudgeError:
            raise
        except Exception as error:  # whatever the SDK and the CLI raise
            raise JudgeError(str(error) or type(error).__name__, turn.calls) from error
        if turn.is_busy and not turn.calls:
            breaker.failed(time.monotonic())
            raise JudgeError("; ".join(turn.errors), transient=True, retry_after=turn.retry_after)
        breaker.succeeded()
        return turn.result()

    def reply(self, message: str, model: str = "") -> Any:
        """Ask for one JSON reply, without tools."""
        turn = self.turn(JudgeRequest(message, model=model, only_these_tools=True))
        if turn.error:
            raise JudgeError(turn.error)
        return json_reply(turn.text)


@dataclass(slots=True)
class _Turn:
    """One turn in progress."""

    judge: CopilotJudge
    request: JudgeRequest
    calls: list[JudgeCall] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    is_busy: bool = False
    retry_after: float | None = None
    usage: Counter[str] = field(default_factory=Counter)

    async def run(self) -> None:
        sdk = _import("copilot")
        # The SDK logs calls that an older CLI does not know as errors with tracebacks, then works without them.
        logging.getLogger("copilot").setLevel(logging.CRITICAL)
        async with sdk.CopilotClient(**self._client_options(sdk)) as client:
            session = await self._session(sdk, client)
            session.on(self._add_event)
            try:
                await self._converse(session)
            except TimeoutError:
                await session.abort()
                self.errors.append(f"the judge took longer than {self.request.timeout_seconds:g} s")
            finally:
                await session.disconnect()
                if not self.request.session_id:
                    await client.delete_session(session.session_id)

    async def _converse(self, session: Any) -> None:
        message, reminders = self.request.message, 0
        while message:
            await session.send_and_wait(message, timeout=self.request.timeout_seconds)
            message = "" if self.errors else self.request.next_reminder(self.calls, reminders)
            reminders += 1

    def result(self) -> JudgeTurn:
        usage = {"model": self.request.model or self.judge.model, **self.usage}
        return JudgeTurn(tuple(self.calls), "".join(self.texts), "; ".join(self.errors), usage)

    def _client_options(self, sdk: Any) -> dict[str, Any]:
        options: dict[str, Any] = {"log_level": "error"}
        if self.judge.cli_path:
            options["connection"] = sdk.RuntimeConnection.for_stdio(path=self.judge.cli_path)
        if self.judge.environment:
            options["env"] = dict(self.judge.environment)
        if self.judge.provider:
            options["use_logged_in_user"] = False
        return options

    async def _session(self, sdk: Any, client: Any) -> Any:
        request = self.request
        values = {
            "on_permission_request": sdk.PermissionHandler.approve_all,
            "model": request.model or self.judge.model or None,
            "reasoning_effort": request.reasoning_effort or None,
            "tools": [self._tool(it) for it in request.tools],
            "working_directory": request.workspace_dir or None,
            "system_message": {"mode": "append", "content": request.system_message}
            if request.system_message
            else None,
            "provider": dict(self.judge.provider) if self.judge.provider else None,
            "available_tools": [f"custom:{it.name}" for it in request.tools]
            if request.only_these_tools
            else None,
        }
        options = {name: it for name, it in values.items() if it is not None}
        if request.session_id:
            return await client.resume_session(request.session_id, **options)
        return await client.create_session(enable_skills=False, **options)

    def _tool(self, tool: JudgeTool) -> Any:
        tools = _import("copilot.tools")
        return tools.Tool(
            name=tool.name,
            description=tool.description,
            parameters=dict(tool.parameters),
            handler=partial(self._record_call, tools, tool.name),
            skip_permission=True,
        )

    def _record_call(self, tools: Any, name: str, call: Any) -> Any:
        self.calls.append(JudgeCall.of(name, call.arguments))
        return tools.ToolResult(text_result_for_llm="Recorded.")

    def _add_event(self, event: Any) -> None:
        kind, data = event.type.value, event.data.to_dict()
        if kind == "assistant.message":
            self.texts.append(str(data.get("content") or ""))
        elif kind == "session.error":
            message = str(data.get("message") or "the session ended with an error")
            self.errors.append(Redactor.of(os.environ).text(message))
            code = data.get("statusCode")
            is_temporary = isinstance(code, int) and (code in _BUSY_CODES or code >= _SERVER_ERROR)
            self.is_busy = is_temporary or data.get("errorType") == "rate_limit"
            wait = data.get("retryAfter")
            self.retry_after = wait if isinstance(wait, int | float) and wait >= 0 else None
        elif kind == "assistant.usage":
            for ours, theirs in _USAGE.items():
                if isinstance(value := data.get(theirs), (int, float)):
                    self.usage[ours] += value  # type: ignore[assignment]  # a cost is not an integer


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise JudgeError(
            f"The Copilot SDK is not installed. Install it with: {install_command('copilot')}"
        ) from error
