"""A judge that stops answering when its tokens are spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.model.judge import Judge, JudgeError, JudgeRequest, JudgeTurn

_COUNTED = ("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens")


@dataclass(slots=True)
class LimitedJudge:
    """Asks `judge` until `limit` tokens are spent. A turn that reports no tokens counts by its characters."""

    judge: Judge
    limit: int
    spent: int = 0

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Perform one turn.

        Raises:
            JudgeError: the tokens are spent, or the judge failed.

        """
        self._refuse_if_spent()
        turn = self.judge.turn(request)
        self.spent += _tokens(turn.usage) or (len(request.message) + len(turn.text)) // 4
        return turn

    def reply(self, message: str, model: str = "") -> Any:
        """Request one JSON reply.

        Raises:
            JudgeError: the tokens are spent, or the judge failed.

        """
        self._refuse_if_spent()
        answer = self.judge.reply(message, model)
        self.spent += (len(message) + len(str(answer))) // 4
        return answer

    def _refuse_if_spent(self) -> None:
        if self.spent >= self.limit:
            raise JudgeError(f"The limit of {self.limit} tokens for judges is reached")


def _tokens(usage: Mapping[str, Any]) -> int:
    return sum(it for key in _COUNTED if isinstance(it := usage.get(key), int))
