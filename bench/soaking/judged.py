"""Whether something grew: the slope over all that was measured once everything had been done for the first time."""

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """How much a figure may grow between warm-up and end: a share of what it was, and so much whatever it was."""

    share: float
    least: float


def growth(times: Sequence[float], values: Sequence[float]) -> float:
    """How much a figure grew from the first time to the last one, along the median of all slopes.

    Single values that are far off, such as times taken while the machine had something else to do, have no say.
    """
    pairs = itertools.combinations(zip(times, values, strict=True), 2)
    slopes = [(late - early) / (then - when) for (when, early), (then, late) in pairs if then > when]
    return statistics.median(slopes) * (times[-1] - times[0]) if slopes else 0.0


def has_grown(times: Sequence[float], values: Sequence[float], limit: Limit) -> bool:
    """Whether it grew by more than it may."""
    return growth(times, values) > limit.share * statistics.median(values) + limit.least
