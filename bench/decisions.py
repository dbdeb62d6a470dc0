"""Measure how often the decisions of `waza_engine.statistics` are wrong: `python bench/decisions.py`.

Simulates agents with known pass rates, and counts: how often 95 % intervals contain the true value, how often tests show a
difference between equal agents (also if someone looks after every task), how often a planned comparison shows the
effect that it was planned for, and how long 10,000 trials take. Needs numpy (dependency group `statistics`). The figures
are in docs/how-sure-appendix.md. With `--quick` a tenth of the repetitions.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from waza_engine.model.scores import ConfidenceInterval
from waza_engine.statistics.bootstrap import bootstrap
from waza_engine.statistics.clustered import mean_interval
from waza_engine.statistics.distributions import binomial_pmf
from waza_engine.statistics.paired import paired_difference
from waza_engine.statistics.power import power, sign_flip_of_counts, tasks_needed
from waza_engine.statistics.rates import clopper_pearson, wilson
from waza_engine.statistics.sequential import confidence_sequence, decide_difference, decide_rate
from waza_engine.statistics.task_model import Design
from waza_engine.statistics.two_rates import fisher_exact
from waza_engine.statistics.verdict import verdicts

RATES = [it / 100 for it in range(5, 96, 5)]
FINE_RATES = [it / 200 for it in range(10, 191)]
_RNG = np.random.default_rng(26)


@dataclass(frozen=True)
class Agent:
    """How the scores of tasks come about: trials of each, and the share of variance between tasks; or graded scores."""

    trials: int
    between: float
    graded: bool = False

    def __str__(self) -> str:
        kind = "graded, " if self.graded else ""
        return f"{kind}{self.trials} trials, {self.between:.0%} between tasks"


AGENTS = [
    *(Agent(1, 0.0), Agent(3, 0.0), Agent(3, 0.1), Agent(3, 0.3), Agent(3, 0.6), Agent(3, 1.0)),
    *(Agent(5, 0.3), Agent(10, 0.3), Agent(10, 0.9), Agent(3, 0.3, graded=True)),
]


def quantiles(rows: int, tasks: int) -> "np.ndarray":
    """Return the difficulty of each task as a number from 0 to 1."""
    return _RNG.random((rows, tasks))


def task_rates(mean: float, between: float, places: "np.ndarray") -> "np.ndarray":
    """Return the pass rate of tasks: a beta distribution with this mean, and this share of the variance between tasks."""
    from scipy.special import betaincinv

    if between <= 0 or mean in (0.0, 1.0):
        return np.full(places.shape, mean)
    if between >= 1:
        return (places < mean).astype(float)
    size = (1 - between) / between
    return np.clip(betaincinv(mean * size, (1 - mean) * size, places), 0.0, 1.0)


def scores(agent: Agent, mean: float, places: "np.ndarray") -> list[list[float]]:
    """Return the mean score of each task, for each row."""
    rates = task_rates(mean, agent.between, places)
    if agent.graded:
        inner = np.clip(rates, 1e-3, 1 - 1e-3) * 5 * agent.trials
        found = _RNG.beta(inner, 5 * agent.trials - inner)
    else:
        found = _RNG.binomial(agent.trials, rates) / agent.trials
    return list(found.tolist())


def contains(interval: ConfidenceInterval, value: float) -> bool:
    return interval.lower - 1e-12 <= value <= interval.upper + 1e-12


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
        yield f"  {agent}: {min(cells):.1%} to {max(cells):.1%}; n = 2: {cells[0]:.1%}, 5: {cells[3]:.1%}, 20: {cells[18]:.1%}"
    over = [sum(it) / len(it) for it in by_count.values()]
    yield f"  averaged over these agents: {min(over):.1%} to {max(over):.1%}"


PAIRS = [(0.0, Agent(1, 0.0)), (0.0, Agent(1, 0.5)), (0.2, Agent(1, 0.3)), (0.0, Agent(3, 0.3))]
PAIRS += [(0.1, Agent(3, 0.6)), (0.3, Agent(3, 0.3)), (0.1, Agent(5, 0.3)), (0.2, Agent(10, 0.3))]
COUNTS = [*range(2, 13), 15, 20, 24, 40, 100]


def pairs_of_runs(rounds: int) -> Iterator[str]:
    yield "Paired comparison of two runs: coverage of the interval of the effect; wrong words between equal agents:"
    by_count: dict[int, list[float]] = {}
    for effect, agent in PAIRS:
        cells, wrong = [], []
        for tasks in COUNTS:
            each = max(4, rounds // len(RATES) // (1 if tasks <= 15 else 8))
            hits = shown = 0
            for rate in RATES:
                other = min(0.98, rate + effect)
                places = quantiles(each, tasks)
                before, after = scores(agent, rate, places), scores(agent, other, places)
                for one, two in zip(before, after, strict=True):
                    found = paired_difference(one, two)
                    hits += contains(found.interval, other - rate)
                    shown += found.p_value <= 0.05
            cells.append(hits / each / len(RATES))
            wrong.append(shown / each / len(RATES))
            by_count.setdefault(tasks, []).append(cells[-1])
        errors = "" if effect else f"; shows a difference in at most {max(wrong):.1%}"
        yield f"  effect {effect:.1f}, {agent}: covers {min(cells):.1%} to {max(cells):.1%}{errors}"
    over = {count: sum(it) / len(it) for count, it in by_count.items()}
    yield "  averaged over these: " + ", ".join(f"n = {it}: {share:.1%}" for it, share in over.items())


def wrong_alarms(rounds: int) -> Iterator[str]:
    yield "Equal agents, rates 0.05 to 0.95, share of comparisons that show a difference (all should be at most 5 %):"
    rng = random.Random(4)
    repeats = rounds // 2
    shares: dict[str, list[float]] = {}
    for tasks in (6, 10, 20, 24):
        for agent in (Agent(1, 0.3), Agent(3, 0.3), Agent(5, 0.8), Agent(3, 0.3, graded=True)):
            counts = dict.fromkeys(("sign test", "sign-flip test", "Fisher per task", "one of 3, Holm"), 0)
            counts["all trials as if independent"] = 0
            for _ in range(repeats):
                rate = rng.choice(RATES)
                places = quantiles(1, tasks)
                runs = [scores(agent, rate, places)[0] for _ in range(4)]
                pairs = [paired_difference(runs[0], it) for it in runs[1:]]
                counts["sign test"] += pairs[0].sign_p_value <= 0.05
                counts["sign-flip test"] += pairs[0].p_value <= 0.05
                counts["one of 3, Holm"] += any(it.word in ("better", "worse") for it in verdicts(pairs))
                if not agent.graded:
                    n = agent.trials
                    one, two = round(runs[0][0] * n), round(runs[1][0] * n)
                    counts["Fisher per task"] += fisher_exact(one, n, two, n) <= 0.05
                    # Other tasks in the second run: the mistake to take trials of a task for independent ones.
                    other = scores(agent, rate, quantiles(1, tasks))[0]
                    sums = round(sum(runs[0]) * n), round(sum(other) * n)
                    counts["all trials as if independent"] += (
                        fisher_exact(sums[0], n * tasks, sums[1], n * tasks) <= 0.05
                    )
            for name, count in counts.items():
                if not (agent.graded and name in ("Fisher per task", "all trials as if independent")):
                    shares.setdefault(name, []).append(count / repeats)
    for name, found in shares.items():
        yield f"  {name}: on average {sum(found) / len(found):.1%}, worst of {len(found)} cases {max(found):.1%} (+- {(0.05 / repeats) ** 0.5:.1%})"


def looks(rounds: int) -> Iterator[str]:
    yield "Looking after every task, up to 200 tasks, equal agents or a rate exactly at the threshold:"
    agent = Agent(3, 0.5)
    for threshold in (0.3, 0.5, 0.8, 0.95):
        rows = scores(agent, threshold, quantiles(rounds // 2, 200))
        wrong = sum(decide_rate(row, threshold) != "open" for row in rows) / len(rows)
        outside = sum(not contains(confidence_sequence(row), threshold) for row in rows[: rounds // 20])
        naive = sum(_naive(row, threshold) for row in rows[: rounds // 20]) / (rounds // 20)
        yield (
            f"  threshold {threshold}: decided {wrong:.1%}; interval wrong at the end {outside / (rounds // 20):.1%};"
            f" a test at 5 % after every fifth task {naive:.1%}"
        )
    for rate in (0.2, 0.5, 0.9):
        places = quantiles(rounds // 2, 200)
        wrong = 0
        for one, two in zip(scores(agent, rate, places), scores(agent, rate, places), strict=True):
            wrong += decide_difference([b - a for a, b in zip(one, two, strict=True)]) != "open"
        yield f"  two equal agents with rate {rate}: decided {wrong / (rounds // 2):.1%}"
    yield "Tasks until decided (median), beside those of one test at the end with 80 % power:"
    for rate, effect in ((0.5, 0.3), (0.5, 0.2), (0.7, 0.2), (0.85, 0.1)):
        fixed = tasks_needed(Design(0, 3, rate, 0.5), effect) or 0
        places = quantiles(rounds // 10, 8 * fixed)
        ends = []
        for one, two in zip(scores(agent, rate, places), scores(agent, rate + effect, places), strict=True):
            differences = [b - a for a, b in zip(one, two, strict=True)]
            ends.append(_first_look(differences))
        ends.sort()
        yield f"  rate {rate}, effect {effect}: {ends[len(ends) // 2]}, 80 %: {ends[len(ends) * 4 // 5]}; fixed: {fixed}"


def _first_look(differences: Sequence[float]) -> int:
    """Return after how many tasks it is decided: found by halving, because a decision stays."""
    low, high = 0, len(differences)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if decide_difference(differences[:middle]) == "open" else (low, middle)
    return high


def _naive(row: Sequence[float], threshold: float) -> bool:
    return any(not contains(mean_interval(row[:it]), threshold) for it in range(5, len(row) + 1, 5))


def planned_power(rounds: int) -> Iterator[str]:
    yield "Planned for 80 %: power of the plan, and that of simulated comparisons:"
    worst = 0.0
    for trials in (1, 2, 3, 5, 10):
        for between, rate, effect in ((0.0, 0.5, 0.3), (0.3, 0.5, 0.2), (0.6, 0.5, 0.3), (0.3, 0.85, 0.1)):
            tasks = tasks_needed(Design(0, trials, rate, between), effect)
            if tasks is None:
                continue
            design = Design(tasks, trials, rate, between)
            seen = _seen_power(design, effect, rounds)
            worst = max(worst, abs(seen - power(design, effect)))
            yield f"  {trials} trials, {between:.0%} between, {rate} + {effect}: {tasks} tasks, {power(design, effect):.1%}, {seen:.1%}"
    yield f"  largest difference: {100 * worst:.1f} points"


def _seen_power(design: Design, effect: float, rounds: int) -> float:
    """Return the share of comparisons that show the effect; difficulties are drawn, not taken from the plan's grid."""
    normal = _RNG.standard_normal((rounds, design.tasks))
    before = _RNG.binomial(design.trials, _logistic_rates(design.rate, design.between, design.rate, normal))
    after = _RNG.binomial(
        design.trials, _logistic_rates(design.rate + effect, design.between, design.rate, normal)
    )
    rows = (after - before).tolist()
    return sum(sum(it) > 0 and sign_flip_of_counts(it) <= 0.05 for it in rows) / rounds


def _logistic_rates(mean: float, between: float, base: float, normal: "np.ndarray") -> "np.ndarray":
    from scipy.optimize import brentq

    grid = np.linspace(-6, 6, 2001)
    weights = np.exp(-(grid**2) / 2)
    weights /= weights.sum()

    def rates(skill: float, spread: float, points: "np.ndarray") -> "np.ndarray":
        return 1 / (1 + np.exp(-(skill + spread * points)))

    def skill(wanted: float, spread: float) -> float:
        return float(brentq(lambda it: (weights * rates(it, spread, grid)).sum() - wanted, -200, 200))

    def share(spread: float) -> float:
        found = rates(skill(base, spread), spread, grid)
        return float((weights * (found - base) ** 2).sum() / base / (1 - base))

    spread = brentq(lambda it: share(it) - between, 1e-4, 15) if between else 0.0
    return rates(skill(mean, spread), spread, normal)


def speed() -> Iterator[str]:
    rng = random.Random(1)
    before, after = ([rng.random() for _ in range(10_000)] for _ in range(2))
    for tasks in (10_000, 1_000, 20):
        trials = 10_000 // tasks
        start = time.process_time()
        means = [
            [sum(run[it * trials : (it + 1) * trials]) / trials for it in range(tasks)]
            for run in (before, after)
        ]
        paired_difference(means[0], means[1])
        yield f"10,000 trials of {tasks:,} tasks in each of two runs: {time.process_time() - start:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the repetitions")
    rounds = 400 if parser.parse_args().quick else 4000
    parts = [rates_of_trials(), old_bootstrap(rounds), means_of_tasks(rounds), pairs_of_runs(rounds)]
    parts += [wrong_alarms(rounds), looks(rounds), planned_power(rounds), speed()]
    for part in parts:
        for line in part:
            print(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
