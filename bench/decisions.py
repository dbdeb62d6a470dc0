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
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.deciding.agents import (  # the checkout is put on the path above
    RATES,
    RNG,
    Agent,
    contains,
    pair_of_runs,
    quantiles,
    scores,
)
from bench.deciding.intervals import effects, means_of_tasks, old_bootstrap, other_intervals, rates_of_trials
from waza_engine.statistics.clustered import mean_interval
from waza_engine.statistics.paired import effect_interval, paired_difference, sign_flip_test
from waza_engine.statistics.power import power, sign_flip_of_counts, tasks_needed
from waza_engine.statistics.sequential import confidence_sequence, decide_difference, decide_rate
from waza_engine.statistics.task_model import Design
from waza_engine.statistics.two_rates import fisher_exact
from waza_engine.statistics.verdict import verdicts


def words_and_intervals(rounds: int) -> Iterator[str]:
    yield "Word and interval of one comparison, rates 0.05 to 0.95 (shown; shown, and the interval is cut at 0; not shown, and"
    yield "the interval excludes 0):"
    for effect, agent in (
        (0.0, Agent(1, 0.5)),
        (0.0, Agent(3, 0.3)),
        (0.2, Agent(3, 0.3)),
        (0.5, Agent(5, 0.3)),
    ):
        cells = []
        for tasks in (3, 5, 6, 8, 10, 15, 20, 40):
            each = max(4, rounds // len(RATES) // (1 if tasks <= 15 else 8))
            shown = cut = apart = 0
            for rate in RATES:
                other = min(0.98, rate + effect)
                for one, two in zip(*pair_of_runs(agent, rate, other, each, tasks), strict=True):
                    is_shown = paired_difference(one, two).p_value <= 0.05
                    has_zero = contains(effect_interval(one, two), 0.0)
                    shown += is_shown
                    cut += is_shown and has_zero
                    apart += not is_shown and not has_zero
            count = each * len(RATES)
            cells.append(f"n = {tasks}: {shown / count:.1%}; {cut / count:.1%}; {apart / count:.1%}")
        yield f"  effect {effect:.1f}, {agent}: " + ", ".join(cells)


def every_sign(rounds: int) -> Iterator[str]:
    yield "Sign-flip test, all signs of random sizes (its exact error), and random signs of 40 graded tasks:"
    worst = 0.0
    for tasks in range(1, 11):
        for kind in range(4):
            sizes = RNG.random(tasks) if kind else np.ones(tasks)
            if kind > 1:
                sizes = np.ceil(sizes * (3 if kind == 2 else 10)) / 10
            rows = [
                [size * sign for size, sign in zip(sizes, signs, strict=True)]
                for signs in product((1, -1), repeat=tasks)
            ]
            worst = max(worst, sum(sign_flip_test(it) <= 0.05 for it in rows) / len(rows))
    yield f"  1 to 10 tasks: at most {worst:.2%}"
    count = 2 * rounds
    pairs = zip(*pair_of_runs(Agent(3, 0.3, graded=True), 0.6, 0.6, count, 40), strict=True)
    shown = sum(sign_flip_test([b - a for a, b in zip(one, two, strict=True)]) <= 0.05 for one, two in pairs)
    yield f"  40 tasks: {shown / count:.2%} (+- {(0.05 / count) ** 0.5:.2%})"


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
    normal = RNG.standard_normal((rounds, design.tasks))
    before = RNG.binomial(design.trials, _logistic_rates(design.rate, design.between, design.rate, normal))
    after = RNG.binomial(
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
    parts = [rates_of_trials(), old_bootstrap(rounds), means_of_tasks(rounds), effects(rounds)]
    parts += [words_and_intervals(rounds), other_intervals(rounds), every_sign(rounds), wrong_alarms(rounds)]
    parts += [looks(rounds), planned_power(rounds), speed()]
    for part in parts:
        for line in part:
            print(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
