"""Growth of figures after the warm-up, from the median of all slopes."""

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """The allowed growth between warm-up and end: a share of the first value plus a constant."""

    share: float
    least: float


def growth(times: Sequence[float], values: Sequence[float]) -> float:
    """Return the growth of a figure from the first to the last time, along the median of all slopes.

    Single values that are far off, such as times taken while the machine had something else to do, have no say.
    """
    pairs = itertools.combinations(zip(times, values, strict=True), 2)
    slopes = [(late - early) / (then - when) for (when, early), (then, late) in pairs if then > when]
    return statistics.median(slopes) * (times[-1] - times[0]) if slopes else 0.0


def has_grown(times: Sequence[float], values: Sequence[float], limit: Limit) -> bool:
    """Whether a figure grew by more than allowed."""
    return growth(times, values) > limit.share * statistics.median(values) + limit.least
