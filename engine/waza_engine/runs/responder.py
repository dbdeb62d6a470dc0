"""The simulated user: a model that reads what was said and answers the agent.

See docs/reference/waza-formats.md, sections 5.1 and 13.6.

After each turn it replies, stops, or abstains because its instructions do not say what to answer. It is asked like a judge:
with three tools and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from waza_engine.judges.base import Judge, JudgeError, JudgeRequest, JudgeTool
from waza_engine.suite import Responder
from waza_engine.trajectory import Replies

_TEXT = {"type": "string"}
_TOOLS = (
    JudgeTool(
        "reply",
        "Answer the agent as the user.",
        {"type": "object", "properties": {"message": _TEXT}, "required": ["message"]},
    ),
    JudgeTool(
        "stop",
        "End the conversation: the agent is done, or waits for nothing.",
        {"type": "object", "properties": {"reason": _TEXT}},
    ),
    JudgeTool(
        "abstain",
        "Give up: the agent asks something that the instructions do not answer.",
        {"type": "object", "properties": {"reason": _TEXT}},
    ),
)
_MESSAGE = """You play the user of an AI agent. Read the conversation and decide what the user does next: call exactly one of \
the tools reply, stop and abstain. Say only what the instructions let the user know and want; never do the agent's work. When \
the agent has done what was asked and waits for no answer, call stop.

# Instructions for the user
{instructions}

# Conversation
{conversation}
"""
UNFINISHED = frozenset(["abstained", "error"])
"""Outcomes that make a trial an error."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: what the user said, and what the agent answered."""

    user: str
    agent: str


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A responder with the model that speaks for it."""

    responder: Responder
    judge: Judge | None
    model: str
    reasoning_effort: str = ""
    seconds: float = 120.0
    so_far: Replies = field(default_factory=Replies)

    def answer(self, conversation: Sequence[Said]) -> tuple["SimulatedUser", str | None]:
        """What the user says now, None for nothing more; and the user as they are afterwards."""
        if self.so_far.followups >= self.responder.most_followups:
            return self._ended("cap_exhausted", ""), None
        if self.judge is None:
            return self._ended("error", "no model is configured that could play the user"), None
        try:
            turn = self.judge.turn(self._request(conversation))
        except JudgeError as error:
            return self._ended("error", str(error)), None
        call = next(iter(turn.calls), None)
        if call is None:
            return self._ended(
                "error", turn.error or "the model called none of reply, stop and abstain"
            ), None
        reason = str(call.arguments.get("reason") or "")
        match call.tool:
            case "reply":
                count = self.so_far.followups + 1
                told = str(call.arguments.get("message") or "")
                return replace(self, so_far=Replies(followups=count)), told
            case "stop":
                return self._ended("stopped", reason), None
            case _:
                return self._ended("abstained", reason), None

    def _request(self, conversation: Sequence[Said]) -> JudgeRequest:
        lines = (f"User: {it.user}\n\nAgent: {it.agent}" for it in conversation)
        message = _MESSAGE.format(
            instructions=self.responder.instructions.strip(), conversation="\n\n".join(lines)
        )
        return JudgeRequest(
            message,
            _TOOLS,
            self.responder.model or self.model,
            self.reasoning_effort,
            timeout_seconds=self.seconds,
            only_these_tools=True,
        )

    def _ended(self, outcome: str, reason: str) -> "SimulatedUser":
        replies = Replies(outcome=outcome, followups=self.so_far.followups, reason=reason)
        return replace(self, so_far=replies)
