"""The request to run trials until the questions of a run are decided, and what may never be exceeded."""

from dataclasses import dataclass

MOST_TRIALS = 50
"""Trials per task if the user sets no limit."""


@dataclass(frozen=True, slots=True)
class UntilDecided:
    """Questions and limits. None means not set.

    Without `threshold`, the eval's own counts. With `against`, the id of a stored run, the only question is whether this
    run is better or worse than that one. `max_trials` is per task, `max_tokens` for the run, `max_minutes` for this process.
    """

    threshold: float | None = None
    against: str = ""
    max_trials: int | None = None
    max_tokens: int | None = None
    max_minutes: float | None = None

    @property
    def most_trials(self) -> int:
        return MOST_TRIALS if self.max_trials is None else self.max_trials
