"""Compare two runs of the same tasks: effect, interval and exact test. All trials of a task are one pair."""

import math
import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from waza_engine.model.results.scores import CONFIDENCE, ConfidenceInterval
from waza_engine.statistics.clustered import mean_interval

ALPHA = round(1 - CONFIDENCE, 9)
_EXACT_UP_TO = 24
_DRAWS = 9_999
_DRAWN = 1_000
"""So many of the largest differences get signs in each draw; the sum of further ones is normally distributed."""
_TOLERANCE = 1e-9
"""Scores are sums of floats: differences below this are ties."""
_UNSEEN = 0.5
"""How many more tasks may have changed than were seen to: Newcombe's correction, for tasks that only pass or fail."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How the mean scores of tasks differ between two runs: above 0, the second is better.

    `smallest_p` is the least p-value that any record of so many tasks could have.
    """

    tasks: int
    effect: float
    interval: ConfidenceInterval
    wins: int
    losses: int
    ties: int
    p_value: float
    sign_p_value: float
    smallest_p: float


def paired_difference(before: Sequence[float], after: Sequence[float]) -> PairedDifference:
    """Compare the mean scores of the same tasks, from 0 to 1, in two runs."""
    differences = [second - first for first, second in zip(before, after, strict=True)]
    return _difference(differences, effect_interval(before, after))


def judged_difference(scores: Sequence[float]) -> PairedDifference:
    """Compare two runs by one score for each task: 1 if the second is better, -1 if the first is, or between."""
    found = mean_interval([(1 + it) / 2 for it in scores])
    return _difference(scores, ConfidenceInterval(2 * found.lower - 1, 2 * found.upper - 1))


def _difference(differences: Sequence[float], interval: ConfidenceInterval) -> PairedDifference:
    wins = sum(it > _TOLERANCE for it in differences)
    losses = sum(it < -_TOLERANCE for it in differences)
    effect = math.fsum(differences) / len(differences) if differences else 0.0
    p_value = sign_flip_test(differences)
    return PairedDifference(
        tasks=len(differences),
        effect=effect,
        interval=_without_zero(effect, interval) if p_value <= ALPHA else interval,
        wins=wins,
        losses=losses,
        ties=len(differences) - wins - losses,
        p_value=p_value,
        sign_p_value=sign_test(wins, losses),
        smallest_p=smallest_p(len(differences)),
    )


def sign_test(wins: int, losses: int, sides: int = 2) -> float:
    """Return the exact p-value of the sign test; with one side, that wins are no more likely than losses.

    With the pairs of which only one passed, this is McNemar's exact test.
    """
    count = wins + losses
    fewest = min(wins, losses) if sides == 2 else losses
    term = ways = 1
    for it in range(fewest):
        term = term * (count - it) // (it + 1)
        ways += term
    return min(1.0, sides * ways / (1 << count))


def smallest_p(tasks: int, sides: int = 2) -> float:
    """Return the least p-value that any record of so many tasks can have, in the sign and the sign-flip test."""
    return min(1.0, sides / (1 << tasks))


def sign_flip_test(differences: Sequence[float]) -> float:
    """Return the p-value of the paired permutation test, two-sided: how often random signs give as large a sum.

    Up to 24 tasks that differ, all combinations of signs count, and any number if all differ by as much. Above, 9,999
    random ones do, the same ones for the same sizes of differences.
    """
    sizes = [abs(it) for it in differences if abs(it) > _TOLERANCE]
    total = abs(math.fsum(differences)) - _TOLERANCE * max(1, len(sizes))
    if total <= 0:
        return 1.0
    if len(sizes) > _EXACT_UP_TO:
        if max(sizes) - min(sizes) < _TOLERANCE:
            wins = sum(it > _TOLERANCE for it in differences)
            return sign_test(wins, len(sizes) - wins)
        return _drawn(sizes, total)
    middle = len(sizes) // 2
    first, second = _signed_sums(sizes[:middle]), sorted(_signed_sums(sizes[middle:]))
    count = sum(len(second) - bisect_left(second, total - it) for it in first)
    return min(1.0, 2 * count / (1 << len(sizes)))


def _signed_sums(sizes: Sequence[float]) -> list[float]:
    """Return the sums with all combinations of signs."""
    sums = [0.0]
    for size in sizes:
        sums = [it + sign for it in sums for sign in (size, -size)]
    return sums


def _drawn(sizes: Sequence[float], total: float) -> float:
    """Return the p-value from random signs: one byte decides about eight tasks, whose sums are made before."""
    largest = sorted(sizes, reverse=True)
    rest = math.sqrt(math.fsum(it * it for it in largest[_DRAWN:]))
    tables = [_signed_sums(largest[it : min(it + 8, _DRAWN)]) for it in range(0, len(largest[:_DRAWN]), 8)]
    limits = [len(it) - 1 for it in tables]
    # Always the same for the same sizes, but no fixed set of signs for all comparisons, whose error could be above 5 %.
    rng = random.Random(repr([round(it, 9) for it in largest]))  # noqa: S311  # statistics, no secret
    count = 0
    for _ in range(_DRAWS):
        signs = rng.randbytes(len(tables))
        drawn = sum([table[it & limit] for table, limit, it in zip(tables, limits, signs, strict=True)])
        count += abs(drawn + (rng.gauss(0, rest) if rest else 0.0)) >= total
    return (1 + count) / (1 + _DRAWS)


def effect_interval(before: Sequence[float], after: Sequence[float]) -> ConfidenceInterval:
    """Return the 95 % interval of the mean difference, from those of both means and how the tasks go together.

    Newcombe's and Zou's way (MOVER), with intervals that respect tasks. It knows nothing of the test: an interval that
    contains 0 whenever the exact test shows nothing would contain the effects of small evals far too often.
    """
    if not before:
        return ConfidenceInterval(-1.0, 1.0)
    first, second = math.fsum(before) / len(before), math.fsum(after) / len(after)
    one, other = mean_interval(before), mean_interval(after)
    together = _correlation(before, after)
    down = _distance(second - other.lower, one.upper - first, together)
    up = _distance(other.upper - second, first - one.lower, together)
    effect = second - first
    return ConfidenceInterval(max(-1.0, effect - down), min(1.0, effect + up))


def _without_zero(effect: float, interval: ConfidenceInterval) -> ConfidenceInterval:
    """Return the interval on the side of a difference that is shown."""
    lower, upper = interval.lower, interval.upper
    return (
        ConfidenceInterval(max(lower, 0.0), upper)
        if effect > 0
        else ConfidenceInterval(lower, min(upper, 0.0))
    )


def _distance(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))


def _correlation(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the correlation of the tasks' scores in both runs, less what few tasks cannot rule out.

    If no task changed, the scores correlate perfectly, but a further task may change. So the sum of products is lowered, as
    in Newcombe's interval for paired rates (1998, method 10); by less for scores that vary less than passes and failures.
    """
    first, second = sum(before) / len(before), sum(after) / len(after)
    common = sum((x - first) * (y - second) for x, y in zip(before, after, strict=True))
    squares = [sum((it - mean) ** 2 for it in values) for values, mean in ((before, first), (after, second))]
    largest = [len(before) * it * (1 - it) for it in (first, second)]
    if min(*squares, *largest) < _TOLERANCE:
        return 0.0
    # Which part of the largest possible variance the scores have: 1 with passes and failures only. Squared, by simulation.
    plain = squares[0] / largest[0] * squares[1] / largest[1]
    if common > 0:
        common = max(0.0, common - _UNSEEN * plain * plain)
    return common / math.sqrt(squares[0] * squares[1])
