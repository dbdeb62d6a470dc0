"""Flip rates: how often two verdicts on the same thing differ.

The thing is a task for a flaky agent, and one recording for a flaky grader or judge. Verdicts that say nothing about it
(errors of infrastructure) do not belong in here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.clustered import mean_interval
from waza_engine.statistics.rates import wilson

_MOST = 0.5
"""Verdicts with a fixed pass rate `p` differ with probability `2 p (1 - p)`: never more often than a fair coin's."""


@dataclass(frozen=True, slots=True)
class FlipRate:
    """The probability that two verdicts on one thing differ, with its 95 % interval: at most one half.

    `mixed` of `things` got different verdicts. Things with a single verdict do not count; `rate` is None without others.
    """

    rate: float | None
    interval: ConfidenceInterval
    mixed: int
    things: int


def flip_rate(verdicts: Sequence[Sequence[bool]]) -> FlipRate:
    """Return the flip rate from the verdicts on each of several things."""
    repeated = [(sum(it), len(it)) for it in verdicts if len(it) > 1]
    if not repeated:
        return FlipRate(None, ConfidenceInterval(0.0, 1.0), 0, 0)
    rates = [2 * passed * (count - passed) / (count * (count - 1)) for passed, count in repeated]
    # Few verdicts may differ more often than the probability can be: two verdicts that differ say 100 %.
    return FlipRate(
        rate=min(_MOST, sum(rates) / len(rates)),
        interval=_of_one(*repeated[0]) if len(repeated) == 1 else _of_several(rates),
        mixed=sum(0 < passed < count for passed, count in repeated),
        things=len(repeated),
    )


def _of_one(passed: int, count: int) -> ConfidenceInterval:
    """Return the interval of the flip rate `2 p (1 - p)` of one thing, from that of its pass rate `p`."""
    rate = wilson(passed, count)
    ends = [2 * it * (1 - it) for it in (rate.lower, rate.upper)]
    return ConfidenceInterval(min(ends), _MOST if rate.lower <= 0.5 <= rate.upper else max(ends))


def _of_several(rates: Sequence[float]) -> ConfidenceInterval:
    found = mean_interval(rates)
    return ConfidenceInterval(min(_MOST, found.lower), min(_MOST, found.upper))
