"""The turns of a trial: the prompt, then follow-ups or a simulated user, until a checkpoint stops them.

The simulated user is a model that reads the conversation and answers the agent (docs/reference/waza-formats.md,
sections 5.1 and 13.6). After each turn it replies, stops, or abstains because its instructions hold no answer. It is
called like a judge, with three tools and nothing else.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from waza_engine.model.judge import Judge, JudgeError, JudgeMissing, JudgeRequest, JudgeTool
from waza_engine.model.suite import Responder
from waza_engine.model.trajectory import ResponderOutcome, Trajectory
from waza_engine.runs.trial.checkpoints import Checkpoints

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
class Turn:
    """One turn: the user's message and the agent's answer."""

    user: str
    agent: str


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A responder of a task, played by a model."""

    responder: Responder
    judge: Judge | None
    model: str
    reasoning_effort: str = ""
    seconds: float = 120.0
    so_far: ResponderOutcome = field(default_factory=ResponderOutcome)
    is_down: bool = False
    """The model that plays the user did not answer: nothing that the agent did."""

    def answer(self, conversation: Sequence[Turn]) -> tuple["SimulatedUser", str | None]:
        """Return the user's new state and next message; None ends the conversation."""
        if self.so_far.followups >= self.responder.most_followups:
            return self._ended("cap_exhausted", ""), None
        if self.judge is None:
            return self._ended("error", "no model is configured to play the user"), None
        try:
            turn = self.judge.turn(self._request(conversation))
        except JudgeMissing as error:
            return self._ended("error", str(error)), None
        except JudgeError as error:
            return replace(self._ended("error", str(error)), is_down=True), None
        call = next(iter(turn.calls), None)
        if call is None:
            return self._ended(
                "error", turn.error or "the model called none of reply, stop and abstain"
            ), None
        reason = str(call.arguments.get("reason") or "")
        match call.tool:
            case "reply":
                count = self.so_far.followups + 1
                message = str(call.arguments.get("message") or "")
                return replace(self, so_far=ResponderOutcome(followups=count)), message
            case "stop":
                return self._ended("stopped", reason), None
            case _:
                return self._ended("abstained", reason), None

    def _request(self, conversation: Sequence[Turn]) -> JudgeRequest:
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
        ending = ResponderOutcome(outcome=outcome, followups=self.so_far.followups, reason=reason)
        return replace(self, so_far=ending)


@dataclass(slots=True)
class Conversation:
    """The conversation of one trial. `user` is None without a responder."""

    prompt: str
    follow_ups: tuple[str, ...]
    checkpoints: Checkpoints
    user: SimulatedUser | None = None
    turns: list[Turn] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    async def after_turn(self, turn: int, so_far: Trajectory) -> str | None:
        """Return the next prompt, or None to end the conversation. A turn with an error is the last one.

        See docs/reference/waza-formats.md, section 13.6.
        """
        self.turns.append(Turn(self.prompt, so_far.output))
        self._ends.append(so_far.duration_ms)
        goes_on = await self.checkpoints.after_turn(turn, so_far)
        if so_far.error or not goes_on:
            return None
        prompt = await self._next_prompt(turn)
        self.prompt = prompt or ""
        return prompt

    async def _next_prompt(self, turn: int) -> str | None:
        if self.user is not None:
            self.user, message = await asyncio.to_thread(self.user.answer, tuple(self.turns))
            return message
        return self.follow_ups[turn - 1] if turn <= len(self.follow_ups) else None

    def with_responder_outcome(self, trajectory: Trajectory) -> Trajectory:
        """Return the trajectory with the outcome of the simulated user."""
        if self.user is None:
            return trajectory
        ending = self.user.so_far
        if not ending.outcome:
            outcome, reason = (
                ("error", "the agent failed")
                if trajectory.error
                else ("stopped", "a checkpoint ended the conversation")
            )
            ending = ending.model_copy(update={"outcome": outcome, "reason": reason})
        message = f"The simulated user gave up ({ending.outcome}): {ending.reason or 'it gave no reason'}"
        error = trajectory.error or (message if ending.outcome in UNFINISHED else "")
        infrastructure = trajectory.infrastructure or self.user.is_down
        return trajectory.model_copy(
            update={"responder": ending, "error": error, "infrastructure": infrastructure}
        )

    def with_messages(self, trajectory: Trajectory) -> Trajectory:
        """Return the trajectory with a transcript of several turns if the executor recorded none."""
        if trajectory.transcript or len(self.turns) < 2:
            return trajectory
        transcript: list[dict[str, object]] = []
        for turn, began, ended in zip(self.turns, (0, *self._ends), self._ends, strict=False):
            transcript.append({"type": "user.message", "content": turn.user, "at_ms": began})
            transcript.append({"type": "assistant.message", "content": turn.agent, "at_ms": ended})
        return trajectory.model_copy(update={"transcript": transcript})
