"""Collect the events of a Copilot session in a trajectory (docs/reference/waza-graders.md, section 3).

The SDK and the CLI's JSON lines have the same events: a type, and data in camel case. Graders need only a few of them;
`add` ignores the others. As in waza, the pseudo-tool `report_intent` is left out.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, ToolEvent, Trajectory, Usage

MOST_CHARACTERS = 4 << 20
"""How much of what an agent says and does in a trial is kept. The rest is left out."""
_EVENT_CHARACTERS = 500
"""What an event costs besides its texts."""
_TEXTS = frozenset(["user.message", "assistant.message", "assistant.reasoning"])
_BARE = frozenset(["assistant.turn_start", "assistant.turn_end", "skill.invoked", "abort"])
_OUTAGES = frozenset(["authentication", "authorization", "quota", "rate_limit"])
_OUTAGE_CODES = frozenset([401, 402, 403, 404, 408, 425, 429])
_SERVER_ERROR = 500
_HIDDEN_TOOL = "report_intent"
_COUNTS = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cache_read_tokens": "cacheReadTokens",
    "cache_write_tokens": "cacheWriteTokens",
}


@dataclass(slots=True)
class EventLog:
    """Collects events. `turn` is the number of the user's turn, from 1; call `next_turn` before each turn.

    With `infrastructure`, `error` comes from the model's endpoint. Every entry of the transcript has `at_ms`: the milliseconds since the log was created.
    """

    turn: int = 0
    session_id: str = ""
    error: str = ""
    infrastructure: bool = False
    transcript: list[dict[str, Any]] = field(default_factory=list)
    skills: list[SkillInvocation] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _calls: dict[str, ToolEvent] = field(default_factory=dict)
    _started: dict[str, float] = field(default_factory=dict)
    _hidden: set[str] = field(default_factory=set)
    _counts: dict[str, float] = field(default_factory=dict)
    _totals: dict[str, float] = field(default_factory=dict)
    _agent_turns: int = 0
    _created: float = field(default_factory=time.monotonic)
    _left: int = MOST_CHARACTERS
    _chunks: list[str] = field(default_factory=list)
    """Chunks of the last message that are not in the transcript yet: adding them one by one would take quadratic time."""

    def next_turn(self) -> None:
        """Start the next turn of the user. The output is that of the last turn only."""
        self.turn += 1
        self._texts.clear()

    def add(self, kind: str, data: Mapping[str, Any]) -> str:
        """Add an event. Return one line about it to show the user, or ""."""
        if kind in _TEXTS:
            return self._add_text(kind, str(data.get("content") or ""))
        match kind:
            case "tool.execution_start":
                return self._start_tool(data)
            case "tool.execution_complete":
                self._end_tool(data)
            case "skill.invoked":
                self.skills.append(SkillInvocation.model_validate(dict(data)))
            case "assistant.turn_start":
                self._agent_turns += 1
            case "assistant.usage":
                self._add_usage_event(data)
            case "session.shutdown" | "session.idle":
                self._set_totals(data)
            case "session.error":
                self.infrastructure = self.infrastructure or (not self.error and _is_outage(data))
                self.error = self.error or str(data.get("message") or "the session ended with an error")
                self._note({"type": kind, "message": str(data.get("message") or "")})
            case _:
                pass
        if kind in _BARE:
            self._note({"type": kind})
        return f"skill {self.skills[-1].name}" if kind == "skill.invoked" else ""

    def say(self, text: str) -> None:
        """Add a message of the agent that came without an event."""
        self._add_text("assistant.message", text)

    def add_chunk(self, text: str) -> str:
        """Add a chunk of a message. It continues the last message, unless another event came between."""
        last = self.transcript[-1] if self.transcript else {}
        if last.get("type") != "assistant.message" or not self._texts:
            return self._add_text("assistant.message", text)
        text = text[: self._left]
        self._left -= len(text)
        self._chunks.append(text)
        self._texts.append(text)
        return ""

    def add_usage(self, counts: Mapping[str, float]) -> None:
        """Add token counts; the keys are those of `Usage`."""
        for key, count in counts.items():
            self._counts[key] = self._counts.get(key, 0) + count

    def so_far(self, task: Task, model: str) -> Trajectory:
        """Return the trajectory of a task so far; its duration counts from the creation of the log."""
        return self.trajectory(task=task.id, model=model, prompt=task.prompt, duration_ms=self._elapsed_ms())

    def trajectory(self, *, task: str, model: str, prompt: str, duration_ms: int) -> Trajectory:
        """Return the trajectory so far."""
        self._join_chunks()
        calls = [
            ToolCall(
                id=call.tool_call_id,
                name=call.tool_name,
                arguments=call.args,
                result=call.result,
                success=call.success,
            )
            for call in self._calls.values()
        ]
        session = Session(
            tool_call_count=len(calls),
            tools_used=[it.name for it in calls],
            tool_calls=calls,
            usage=self._usage(),
            session_id=self.session_id,
        )
        return Trajectory(
            task=task,
            model=model,
            prompt=prompt,
            output="".join(self._texts),
            error=self.error,
            infrastructure=self.infrastructure,
            duration_ms=duration_ms,
            session_id=self.session_id,
            transcript=list(self.transcript),
            session=session,
            tool_events=list(self._calls.values()),
            skills=list(self.skills),
        )

    def _note(self, event: dict[str, Any]) -> bool:
        """Add an entry to the transcript. Returns whether there was room for it."""
        self._join_chunks()
        cost = _EVENT_CHARACTERS + _characters(event)
        if cost > self._left:
            return False
        self._left -= cost
        self.transcript.append({**event, "at_ms": self._elapsed_ms()})
        return True

    def _join_chunks(self) -> None:
        if self._chunks:
            self.transcript[-1]["content"] += "".join(self._chunks)
            self._chunks.clear()

    def _elapsed_ms(self) -> int:
        return round((time.monotonic() - self._created) * 1000)

    def _add_text(self, kind: str, text: str) -> str:
        text = text[: max(0, self._left - 2 * _EVENT_CHARACTERS)]
        if not text or not self._note({"type": kind, "content": text}):
            return ""
        if kind == "assistant.message":
            self._texts.append(text)
            return text.strip().partition("\n")[0]
        return ""

    def _start_tool(self, data: Mapping[str, Any]) -> str:
        name, identity = str(data.get("toolName") or ""), str(data.get("toolCallId") or "")
        if name == _HIDDEN_TOOL:
            self._hidden.add(identity)
            return ""
        arguments = data.get("arguments")
        start = {"type": "tool.execution_start", "tool_call_id": identity, "tool_name": name}
        if not self._note({**start, "arguments": arguments}):
            return ""
        if name and identity:
            self._started[identity] = time.monotonic()
            self._calls[identity] = ToolEvent(
                turn=self.turn,
                sequence=len(self._calls) + 1,
                tool_call_id=identity,
                tool_name=name,
                args=arguments,
            )
        return f"tool {name}"

    def _end_tool(self, data: Mapping[str, Any]) -> None:
        identity = str(data.get("toolCallId") or "")
        if identity in self._hidden:
            return
        result, success = data.get("result"), data.get("success") is True
        end = {"type": "tool.execution_complete", "tool_call_id": identity, "success": success}
        if not self._note({**end, "tool_result": result}):
            result = None
            self._note(end)
        if call := self._calls.get(identity):
            error = data.get("error")
            message = error.get("message") if isinstance(error, Mapping) else error
            seconds = time.monotonic() - self._started[identity]
            self._calls[identity] = call.model_copy(
                update={
                    "result": result,
                    "success": success,
                    "error": str(message or ""),
                    "duration_ms": round(seconds * 1000),
                }
            )

    def _add_usage_event(self, data: Mapping[str, Any]) -> None:
        counts = {ours: _number(data.get(theirs)) for ours, theirs in _COUNTS.items()}
        self.add_usage(counts | {"premium_requests": _number(data.get("cost"))})

    def _set_totals(self, data: Mapping[str, Any]) -> None:
        """Take the totals that the session reports at its end; they replace our own counts."""
        models = data.get("modelMetrics")
        if not isinstance(models, Mapping) or not models:
            return
        usages = [it.get("usage") or {} for it in models.values() if isinstance(it, Mapping)]
        totals = {
            ours: sum(_number(it.get(theirs)) for it in usages if isinstance(it, Mapping))
            for ours, theirs in _COUNTS.items()
        }
        if any(totals.values()):
            premium = data.get("totalPremiumRequests", data.get("totalPremiumRequestCost"))
            self._totals = totals | {"premium_requests": _number(premium)}

    def _usage(self) -> Usage | None:
        counts = self._totals or self._counts
        if not counts:
            return None
        return Usage.model_validate({**counts, "turns": self._agent_turns})


def _is_outage(error: Mapping[str, Any]) -> bool:
    """Return whether a session's error comes from the model's endpoint: down, busy, or refusing this account."""
    code = error.get("statusCode")
    has_code = isinstance(code, int) and (code in _OUTAGE_CODES or code >= _SERVER_ERROR)
    return has_code or error.get("errorType") in _OUTAGES


def _characters(value: Any) -> int:
    """Return the length of all texts in a value, without building its JSON."""
    total, rest = 0, [value]
    while rest:
        match rest.pop():
            case str() as text:
                total += len(text)
            case Mapping() as members:
                total += sum(len(str(it)) for it in members)
                rest += members.values()
            case list() | tuple() as items:
                total += len(items)
                rest += items
            case _:
                total += 1
    return total


def _number(value: Any) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0
