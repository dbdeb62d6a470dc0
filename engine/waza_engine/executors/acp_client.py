"""Our side of the Agent Client Protocol: takes what the agent tells, approves what it asks for, serves files.

The protocol tells titles and kinds of tool calls, not their names, and nothing about skills.
"""

import asyncio
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from waza_engine.executors.base import Progress
from waza_engine.executors.event_log import EventLog

_DONE = frozenset(["completed", "failed"])


class Client:
    """What the agent talks to; `alive` is set whenever it says something."""

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


def conclude(log: EventLog, answer: Any) -> None:
    """Take what the agent answers at the end of a turn."""
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
