"""What a run will probably cost, from earlier runs of the same tasks."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from waza_engine.runs.history import TaskCost


class Forecast(NamedTuple):
    """Tokens, and the agent's time in seconds if tasks run one after the other."""

    tokens: int
    seconds: float

    @classmethod
    def of(cls, costs: "Iterable[TaskCost]", trials: int = 0) -> Self | None:
        """Sum up the costs of tasks, for this number of trials, by default as many as before; None without costs."""
        parts = [(it, trials / it.trials if trials else 1) for it in costs]
        if not parts:
            return None
        tokens = sum(it.tokens * factor for it, factor in parts)
        return cls(round(tokens), sum(it.duration_ms * factor for it, factor in parts) / 1000)

    @property
    def text(self) -> str:
        """In rough words, such as `~1.1 M tokens, 14 min`."""
        return f"~{_rough_count(self.tokens)} tokens, {_rough_time(self.seconds)}"


def _rough_count(count: int) -> str:
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            digits = 1 if count < 10 * size else 0
            return f"{count / size:.{digits}f}".removesuffix(".0") + f" {unit}"
    return str(count)


def _rough_time(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, seconds):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
