"""Measure how often 95 % intervals contain the true value, for every n from 2 to 100."""

import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bench.deciding.agents import (
    AGENTS,
    FINE_RATES,
    RATES,
    RNG,
    Agent,
    contains,
    pair_of_runs,
    quantiles,
    scores,
    task_rates,
)
from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.agreement import agreement
from waza_engine.statistics.bootstrap import bootstrap
from waza_engine.statistics.clustered import mean_interval
from waza_engine.statistics.distributions import binomial_pmf
from waza_engine.statistics.flips import flip_rate
from waza_engine.statistics.paired import effect_interval, judged_difference
from waza_engine.statistics.passes import passes_of_tasks
from waza_engine.statistics.rates import clopper_pearson, rate_difference, wilson


def rates_of_trials() -> Iterator[str]:
    yield "Intervals of a rate, exact sums, every n from 2 to 100, rates 0.05 to 0.95:"
    means, least = [], []
    for total in range(2, 101):
        chances = {rate: [binomial_pmf(it, total, rate) for it in range(total + 1)] for rate in FINE_RATES}

        def coverage(
            interval: Callable[[int, int], ConfidenceInterval],
            total: int = total,
            chances: dict[float, list[float]] = chances,
        ) -> list[float]:
            found = [interval(it, total) for it in range(total + 1)]
            return [
                sum(c for it, c in zip(found, chances[rate], strict=True) if contains(it, rate))
                for rate in FINE_RATES
            ]

        means.append(sum(coverage(wilson)) / len(FINE_RATES))
        least.append(min(coverage(clopper_pearson)))
    yield f"  Wilson, mean over rates: {min(means):.1%} to {max(means):.1%}; Clopper-Pearson, least: {min(least):.2%}"


def old_bootstrap(rounds: int) -> Iterator[str]:
    yield "The bootstrap interval of results files, rate 0.9:"
    for total in (2, 5, 20):
        rng, hits = random.Random(total), 0
        for _ in range(rounds // 4):
            drawn = [float(rng.random() < 0.9) for _ in range(total)]
            interval = bootstrap(drawn, rng, 400)
            hits += interval.lower <= 0.9 <= interval.upper
        yield f"  n = {total}: {hits / (rounds // 4):.0%}"


def means_of_tasks(rounds: int) -> Iterator[str]:
    yield "Interval of a mean score over tasks, averaged over rates 0.05 to 0.95, every n from 2 to 100:"
    each = max(1, 2 * rounds // len(RATES))
    by_count: dict[int, list[float]] = {}
    for agent in AGENTS:
        cells = []
        for tasks in range(2, 101):
            hits = 0
            for rate in RATES:
                truth = rate
                rows = scores(agent, rate, quantiles(each, tasks))
                hits += sum(contains(mean_interval(row), truth) for row in rows)
            cells.append(hits / each / len(RATES))
            by_count.setdefault(tasks, []).append(cells[-1])
        yield f"  {agent}: {_span(cells)}"
    over = [sum(it) / len(it) for it in by_count.values()]
    yield f"  averaged over these agents: {_span(over)}"


EQUAL = [(0.0, it) for it in (Agent(1, 0.0), Agent(1, 0.5), Agent(3, 0.3), Agent(3, 0.3, graded=True))]
CHANGED = [
    (0.2, Agent(1, 0.3)),
    (0.3, Agent(1, 1.0)),
    (0.1, Agent(1, 0.9)),
    (0.1, Agent(3, 0.6)),
    (0.3, Agent(3, 0.3)),
]
CHANGED += [(0.2, Agent(3, 0.9)), (0.1, Agent(5, 0.3)), (0.5, Agent(5, 0.3)), (0.2, Agent(10, 0.3))]
CHANGED += [(0.1, Agent(3, 0.3, graded=True))]


def effects(rounds: int) -> Iterator[str]:
    yield "Interval of the effect of two paired runs, averaged over rates 0.05 to 0.95, every n from 2 to 100:"
    each = max(4, rounds // 50)
    by_count: dict[int, list[float]] = {}
    for effect, agent in (*EQUAL, *CHANGED):
        cells = []
        for tasks in range(2, 101):
            hits = 0
            for rate in RATES:
                other = min(0.98, rate + effect)
                pairs = zip(*pair_of_runs(agent, rate, other, each, tasks), strict=True)
                hits += sum(contains(effect_interval(one, two), other - rate) for one, two in pairs)
            cells.append(hits / each / len(RATES))
            by_count.setdefault(tasks, []).append(cells[-1])
        yield f"  effect {effect:.1f}, {agent}: {_span(cells)}"
    over = [sum(it) / len(it) for it in by_count.values()]
    yield f"  averaged over these: {_span(over)}"


def _span(cells: Sequence[float]) -> str:
    """Return the least and the largest share of all n from 2 to 100, and some in between."""
    some = ", ".join(f"{it}: {cells[it - 2]:.1%}" for it in (2, 3, 5, 10, 20, 40, 100))
    return f"{min(cells):.1%} to {max(cells):.1%}; n = {some}"


def other_intervals(rounds: int) -> Iterator[str]:
    yield "Difference of the pass rates of one task, exact sums, as many trials in both runs, every n from 2 to 100:"
    cells = []
    for total in range(2, 101):
        chances = np.array([[binomial_pmf(it, total, rate) for it in range(total + 1)] for rate in RATES])
        numbers = range(total + 1)
        found = [[rate_difference(one, total, two, total) for two in numbers] for one in numbers]
        lower, upper = (
            np.array([[getattr(it, end) for it in row] for row in found]) for end in ("lower", "upper")
        )
        covered = [
            chances[one] @ ((lower - 1e-12 <= truth) & (truth <= upper + 1e-12)) @ chances[two]
            for one, rate in enumerate(RATES)
            for two, other in enumerate(RATES)
            for truth in (other - rate,)
        ]
        cells.append(float(np.mean(covered)))
    yield f"  {_span(cells)}"
    yield "Judged pairs, exact sums, one verdict on each task, every n from 2 to 100:"
    for ties in (0.0, 0.2, 0.5):
        yield f"  {ties:.0%} ties: {_span([_judged_coverage(ties, it) for it in range(2, 101)])}"
    yield "pass^2 of tasks with 5 trials, and the flip rate of things with 5 verdicts, every n from 2 to 100:"
    each = max(4, rounds // 50)
    for between in (0.0, 0.3, 0.8):
        both: dict[str, list[float]] = {"pass^2": [], "flip rate": []}
        for things in range(2, 101):
            hits = dict.fromkeys(both, 0)
            for rate in RATES:
                twice = rate * rate + between * rate * (1 - rate)
                for row in RNG.binomial(5, task_rates(rate, between, quantiles(each, things))).tolist():
                    passes = passes_of_tasks([(5, it) for it in row], 2)
                    hits["pass^2"] += passes is not None and contains(passes.power_k_interval, twice)
                    flips = flip_rate([[True] * it + [False] * (5 - it) for it in row])
                    hits["flip rate"] += contains(flips.interval, 2 * (rate - twice))
            for name, count in hits.items():
                both[name].append(count / each / len(RATES))
        for name, shares in both.items():
            yield f"  {name}, {between:.0%} between: {_span(shares)}"
    yield "Kappa, judges with the same share of passes from 0.05 to 0.95, every n from 2 to 100:"
    for kappa in (0.0, 0.4, 0.7, 0.9):
        cells = [_kappa_coverage(kappa, items, max(4, rounds // 50)) for items in range(2, 101)]
        yield f"  kappa {kappa}: {_span(cells)}"


def _judged_coverage(ties: float, tasks: int) -> float:
    wins_and_losses = [(it, that) for it in range(tasks + 1) for that in range(tasks + 1 - it)]
    found = [
        judged_difference([1.0] * it + [-1.0] * that + [0.0] * (tasks - it - that)).interval
        for it, that in wins_and_losses
    ]
    covered = 0.0
    for rate in RATES:
        truth = (1 - ties) * (2 * rate - 1)
        for (wins, losses), interval in zip(wins_and_losses, found, strict=True):
            if contains(interval, truth):
                decided = wins + losses
                covered += binomial_pmf(decided, tasks, 1 - ties) * binomial_pmf(wins, decided, rate)
    return covered / len(RATES)


def _kappa_coverage(kappa: float, items: int, each: int) -> float:
    hits = 0
    for rate in RATES:
        one = RNG.random((each, items)) < rate
        two = np.where(RNG.random(one.shape) < kappa, one, RNG.random(one.shape) < rate)
        for first, second in zip(one, two, strict=True):
            both, neither = int((first & second).sum()), int((~first & ~second).sum())
            found = agreement([[both, int(first.sum()) - both], [int(second.sum()) - both, neither]])
            # Without an interval, the report says that kappa is unknown.
            hits += found.kappa_interval is None or contains(found.kappa_interval, kappa)
    return hits / each / len(RATES)
