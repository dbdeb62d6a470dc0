"""Keep the limit of tokens of a run that goes on until it is decided."""

from dataclasses import dataclass

from waza_engine.model.results.consumption import Consumption


@dataclass(slots=True)
class TokenBudget:
    """Tokens of agents and judges. Before a trial nobody knows its tokens, so the largest one so far stands for it."""

    limit: int | None
    used: int = 0
    largest: int = 0
    running: int = 0

    @property
    def is_unknown(self) -> bool:
        """Whether the limit counts but no trial has shown yet how many tokens one takes."""
        return self.limit is not None and not self.largest

    @property
    def has_room(self) -> bool:
        """Whether another trial may start beside those that are running."""
        if self.limit is None:
            return True
        return self.used < self.limit and self.used + (self.running + 1) * self.largest <= self.limit

    def add(self, used: Consumption) -> None:
        """Count what a finished trial consumed."""
        tokens = (
            used.agent_input_tokens
            + used.agent_output_tokens
            + used.judge_input_tokens
            + used.judge_output_tokens
        )
        self.used += tokens
        self.largest = max(self.largest, tokens)
