"""A judge that stops answering when its tokens are spent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.model.judge import Judge, JudgeError, JudgeRequest, JudgeTurn

_COUNTED = ("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens")


@dataclass(slots=True)
class LimitedJudge:
    """Asks `judge` until `limit` tokens are spent. A turn that reports no tokens counts by its characters.

    A question is not asked if it would exceed the limit at the price of the most expensive one so far, or, the first, by its
    characters.
    """

    judge: Judge
    limit: int
    spent: int = 0
    _refused: bool = False
    _most: int = 0

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Perform one turn.

        Raises:
            JudgeError: the tokens are spent, or the judge failed.

        """
        self._refuse_beyond(request.message)
        turn = self.judge.turn(request)
        self._pay(_tokens(turn.usage) or (len(request.message) + len(turn.text)) // 4)
        return turn

    def reply(self, message: str, model: str = "") -> Any:
        """Request one JSON reply.

        Raises:
            JudgeError: the tokens are spent, or the judge failed.

        """
        self._refuse_beyond(message)
        answer = self.judge.reply(message, model)
        self._pay((len(message) + len(str(answer))) // 4)
        return answer

    @property
    def is_spent(self) -> bool:
        """Whether a question was refused."""
        return self._refused

    def _pay(self, tokens: int) -> None:
        self.spent += tokens
        self._most = max(self._most, tokens)

    def _refuse_beyond(self, message: str) -> None:
        if self.spent >= self.limit or self.spent + (self._most or len(message) // 4) > self.limit:
            self._refused = True
            raise JudgeError(f"The limit of {self.limit} tokens for judges is reached")


def _tokens(usage: Mapping[str, Any]) -> int:
    return sum(max(it, 0) for key in _COUNTED if isinstance(it := usage.get(key), int))
