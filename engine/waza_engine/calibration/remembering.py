"""A judge that answers known requests from kept turns, and remembers the answers to others."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from waza_engine.calibration.judgement import Judgement, KeptTurn
from waza_engine.model.judge import Judge, JudgeError, JudgeRequest, JudgeTurn


class NotAskedError(JudgeError):
    """No judge was ever asked this, and none may be asked now."""


@dataclass(slots=True)
class RememberingJudge:
    """Answers from `kept` turns by the digest of their request. Asks `judge` for others, where there is one.

    `model` replaces the model of requests if it is given. `turns` are the answers so far, also those that were kept. The
    work itself may be part of the question: a judge can look into the workspace. So `recording`, a text that changes with
    the recorded trial, is part of each digest.
    """

    recording: str
    judge: Judge | None = None
    kept: Mapping[str, KeptTurn] = field(default_factory=dict)
    model: str = ""
    turns: list[KeptTurn] = field(default_factory=list)
    asked: int = 0
    """How many requests went to the judge."""

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Perform one turn.

        Raises:
            NotAskedError: the answer is not known, and there is no judge.
            JudgeError: the judge failed.

        """
        key = self._key(
            request.message,
            request.system_message,
            request.reasoning_effort,
            repr([(it.name, it.parameters) for it in request.tools]),
            str(request.only_these_tools),
            model=self.model or request.model,
        )
        known = self.kept.get(key)
        if known is not None:
            self.turns.append(known)
            return known.turn()
        judge = self._judge()
        turn = judge.turn(_with_model(request, self.model))
        self.asked += 1
        self.turns.append(KeptTurn.of(key, turn))
        return turn

    def reply(self, message: str, model: str = "") -> Any:
        """Request one JSON reply.

        Raises:
            NotAskedError: the answer is not known, and there is no judge.
            JudgeError: the judge failed.

        """
        key = self._key(message, model=self.model or model)
        known = self.kept.get(key)
        if known is not None:
            self.turns.append(known)
            return known.usage.get("reply")
        answer = self._judge().reply(message, self.model or model)
        self.asked += 1
        self.turns.append(KeptTurn(request=key, usage={"reply": answer}))
        return answer

    def _judge(self) -> Judge:
        if self.judge is None:
            raise NotAskedError("No judge was asked this yet")
        return self.judge

    def _key(self, *parts: str, model: str) -> str:
        text = "\0".join((self.recording, model, *parts))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


def kept_turns(judgements: Sequence[Judgement]) -> dict[str, KeptTurn]:
    """Return the first kept turn of each request."""
    found: dict[str, KeptTurn] = {}
    for it in judgements:
        for turn in it.turns:
            if turn.request:
                found.setdefault(turn.request, turn)
    return found


def _with_model(request: JudgeRequest, model: str) -> JudgeRequest:
    return replace(request, model=model) if model else request
