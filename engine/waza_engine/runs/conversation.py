"""What is said to the agent, turn by turn: the prompt, then follow-ups or a simulated user, unless a checkpoint stops it."""

import asyncio
from dataclasses import dataclass, field

from waza_engine.runs.checkpoints import Checkpoints
from waza_engine.runs.responder import UNFINISHED, Said, SimulatedUser
from waza_engine.trajectory import Trajectory


@dataclass(slots=True)
class Conversation:
    """One trial's side of the talk. `user` is None without a responder."""

    prompt: str
    follow_ups: tuple[str, ...]
    checkpoints: Checkpoints
    user: SimulatedUser | None = None
    held: list[Said] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    async def after_turn(self, turn: int, so_far: Trajectory) -> str | None:
        """The next thing to say, None when all is said. A failing turn is the last one.

        See docs/reference/waza-formats.md, section 13.6.
        """
        self.held.append(Said(self.prompt, so_far.output))
        self._ends.append(so_far.duration_ms)
        goes_on = await self.checkpoints.after_turn(turn, so_far)
        if so_far.error or not goes_on:
            return None
        told = await self._next(turn)
        self.prompt = told or ""
        return told

    async def _next(self, turn: int) -> str | None:
        if self.user is not None:
            self.user, told = await asyncio.to_thread(self.user.answer, tuple(self.held))
            return told
        return self.follow_ups[turn - 1] if turn <= len(self.follow_ups) else None

    def concluded(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with what became of the simulated user."""
        if self.user is None:
            return trajectory
        ending = self.user.so_far
        if not ending.outcome:
            told = (
                ("error", "the agent failed")
                if trajectory.error
                else ("stopped", "a checkpoint ended the talk")
            )
            ending = ending.model_copy(update={"outcome": told[0], "reason": told[1]})
        why = f"The simulated user gave up ({ending.outcome}): {ending.reason or 'it gave no reason'}"
        error = trajectory.error or (why if ending.outcome in UNFINISHED else "")
        return trajectory.model_copy(update={"responder": ending, "error": error})

    def with_messages(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with what was said in several turns, where the executor recorded nothing of it."""
        if trajectory.transcript or len(self.held) < 2:
            return trajectory
        transcript: list[dict[str, object]] = []
        for it, began, ended in zip(self.held, (0, *self._ends), self._ends, strict=False):
            transcript.append({"type": "user.message", "content": it.user, "at_ms": began})
            transcript.append({"type": "assistant.message", "content": it.agent, "at_ms": ended})
        return trajectory.model_copy(update={"transcript": transcript})
