"""Intervals and tests against published numbers, and against sums over all possible records."""

import random
import time
from itertools import product
from math import comb

import pytest

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.clustered import effective_tasks, mean_interval
from waza_engine.statistics.distributions import binomial_pmf
from waza_engine.statistics.paired import (
    judged_difference,
    paired_difference,
    sign_flip_test,
    sign_test,
    smallest_p,
)
from waza_engine.statistics.power import fewest_tasks, most_losses, passes_to_show, sign_flip_of_counts
from waza_engine.statistics.rates import clopper_pearson, rate_difference, wilson
from waza_engine.statistics.two_rates import compare_rates, fisher_exact
from waza_engine.statistics.verdict import holm, verdicts

RATES = [it / 100 for it in range(5, 96)]


def test_wilson_and_exact_intervals_match_published_values() -> None:
    # Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20.
    for passed, total, lower, upper in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
    ):
        assert wilson(passed, total).lower == pytest.approx(lower, abs=5e-5)
        assert wilson(passed, total).upper == pytest.approx(upper, abs=5e-5)
    exact = clopper_pearson(81, 263)
    assert [exact.lower, exact.upper] == pytest.approx([0.2527, 0.3676], abs=5e-5)
    assert wilson(0, 0) == clopper_pearson(0, 0) == ConfidenceInterval(0.0, 1.0)
    # Newcombe 1998, differences of independent rates, method 10: 56 of 70 against 48 of 80.
    difference = rate_difference(48, 80, 56, 70)
    assert [difference.lower, difference.upper] == pytest.approx([0.0524, 0.3339], abs=5e-5)


@pytest.mark.parametrize("total", [2, 3, 5, 10, 30, 100])
def test_intervals_of_rates_cover_as_promised(total: int) -> None:
    chances = {rate: [binomial_pmf(it, total, rate) for it in range(total + 1)] for rate in RATES}
    covered = {}
    for name, interval in (("wilson", wilson), ("exact", clopper_pearson)):
        found = [interval(it, total) for it in range(total + 1)]
        covered[name] = [
            sum(
                chance
                for it, chance in zip(found, chances[rate], strict=True)
                if it.lower <= rate <= it.upper
            )
            for rate in RATES
        ]
    assert 0.93 <= sum(covered["wilson"]) / len(RATES) <= 0.98
    assert min(covered["exact"]) >= 0.95


def test_the_published_limits_of_the_sign_test() -> None:
    two_sided = [None, None, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    one_sided = [None, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5]
    assert [most_losses(it) for it in range(4, 19)] == two_sided
    assert [most_losses(it, sides=1) for it in range(4, 19)] == one_sided
    assert (fewest_tasks(), fewest_tasks(sides=1)) == (6, 5)
    assert (smallest_p(4, sides=1), smallest_p(5), smallest_p(6)) == (0.0625, 0.0625, 0.03125)
    assert sign_test(9, 1) == pytest.approx(22 / 1024)
    assert (sign_test(0, 0), sign_test(3, 3), sign_test(1, 5, sides=1)) == (1.0, 1.0, 63 / 64)


@pytest.mark.parametrize(
    "differences",
    [
        [0.5, -0.25, 1.0],
        [0.0, 0.0],
        [1.0] * 6,
        [0.1, 0.1, -0.1, 0.2],
        [1 / 3, -1 / 3, 2 / 3, 0.0, 1 / 3],
        [-0.7],
    ],
)
def test_the_sign_flip_test_counts_all_combinations_of_signs(differences: list[float]) -> None:
    seen = abs(sum(differences)) - 1e-9
    signs = list(product([1, -1], repeat=len(differences)))
    as_large = sum(abs(sum(s * it for s, it in zip(row, differences, strict=True))) >= seen for row in signs)
    assert sign_flip_test(differences) == pytest.approx(as_large / len(signs))


def test_many_tasks_are_compared_with_random_signs_that_are_always_the_same() -> None:
    rng = random.Random(3)  # noqa: S311  # statistics, no secret
    differences = [rng.choice([-1.0, 0.0, 1.0, 1.0]) for _ in range(40)]
    wins, losses = differences.count(1.0), differences.count(-1.0)
    exact = sum(comb(wins + losses, it) for it in range(wins, wins + losses + 1)) / 2 ** (wins + losses - 1)
    # If all differ by as much, it is the sign test.
    assert sign_flip_test(differences) == pytest.approx(min(1.0, exact))
    # Else random signs decide, the same ones for the same sizes.
    mixed = [it * rng.choice([0.5, 1.0]) for it in differences]
    assert sign_flip_test(mixed) == pytest.approx(
        sign_flip_of_counts([round(2 * it) for it in mixed]), abs=0.01
    )
    assert sign_flip_test(mixed) == sign_flip_test(list(reversed(mixed)))


def test_a_thousand_tasks_with_ten_trials_are_compared_within_two_seconds() -> None:
    rng = random.Random(1)  # noqa: S311  # statistics, no secret
    before, after = ([rng.random() for _ in range(1000)] for _ in range(2))
    start = time.process_time()
    paired_difference(before, after)
    assert time.process_time() - start < 2


def test_a_difference_has_effect_interval_and_counts() -> None:
    found = paired_difference([0.0, 0.2, 0.1, 0.0, 0.3, 0.2, 0.5], [1.0, 0.9, 0.8, 0.9, 1.0, 0.7, 0.5])
    assert (found.wins, found.losses, found.ties, found.tasks) == (6, 0, 1, 7)
    assert found.effect == pytest.approx(4.5 / 7)
    assert found.interval.lower > 0.2
    assert (found.p_value, found.sign_p_value, found.smallest_p) == (1 / 32, 1 / 32, 1 / 64)
    same = paired_difference([1.0] * 8, [1.0] * 8)
    assert (same.effect, same.p_value, same.ties) == (0.0, 1.0, 8)
    assert same.interval.lower < -0.2 < 0.2 < same.interval.upper
    assert paired_difference([], []).interval == ConfidenceInterval(-1.0, 1.0)


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_does_not_contain_zero_if_a_difference_is_shown(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  # statistics, no secret
    before = [rng.random() for _ in range(rng.randint(1, 12))]
    after = [min(1.0, it + rng.random() * 0.4) for it in before]
    found = paired_difference(before, after)
    assert (found.interval.lower < 0 < found.interval.upper) <= (found.p_value > 0.05)
    assert -1 <= found.interval.lower <= found.effect <= found.interval.upper <= 1


def test_judged_pairs_have_the_interval_of_a_rate() -> None:
    for wins in range(13):
        found, rate = judged_difference([1.0] * wins + [-1.0] * (12 - wins)), wilson(wins, 12)
        p_value = sign_test(wins, 12 - wins)
        assert (found.effect, found.p_value) == pytest.approx((wins / 6 - 1, p_value))
        if p_value > 0.05:
            ends = (2 * rate.lower - 1, 2 * rate.upper - 1)
            assert (found.interval.lower, found.interval.upper) == pytest.approx(ends)
    assert judged_difference([]).interval == ConfidenceInterval(-1.0, 1.0)


def test_the_interval_is_not_that_of_the_test() -> None:
    # The test can show nothing with five tasks, however large the difference is.
    few = paired_difference([0.0] * 5, [1.0] * 5)
    assert (few.p_value, few.interval.lower > 0.3, few.interval.upper) == (1 / 16, True, 1.0)
    # Ten tasks of which none changed do not rule out that others do.
    same = [1.0, 0.0] * 5
    found = paired_difference(same, same)
    assert -0.17 < found.interval.lower == -found.interval.upper < -0.16  # Newcombe's
    # Scores that only graders' shades tell apart say more than passes and failures.
    shades = [0.5 + it / 100 for it in range(10)]
    assert paired_difference(shades, shades).interval.upper < found.interval.upper


@pytest.mark.parametrize("kind", ["all alike", "lattice", "any"])
def test_the_sign_flip_test_is_wrong_in_at_most_a_twentieth(kind: str) -> None:
    rng = random.Random(kind)  # noqa: S311  # statistics, no secret
    for tasks in range(1, 9):
        sizes = {
            "all alike": [0.3] * tasks,
            "lattice": [rng.randint(1, 3) / 3 for _ in range(tasks)],
            "any": [rng.random() for _ in range(tasks)],
        }[kind]
        # Equal agents: each difference is as likely as its opposite.
        signs = product((1, -1), repeat=tasks)
        p_values = [sign_flip_test([a * b for a, b in zip(sizes, it, strict=True)]) for it in signs]
        assert sum(it <= 0.05 for it in p_values) <= 0.05 * len(p_values)
        assert (min(p_values) <= 0.05) == (tasks >= 6)


def test_the_words_of_comparisons_and_their_correction() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert (holm([]), holm([0.9, 0.8])) == ([], [1.0, 1.0])
    up, down, equal = ([0.0] * 8, [1.0] * 8), ([1.0] * 8, [0.0] * 8), ([0.5] * 8, [0.5] * 8)
    few = ([0.0] * 5, [1.0] * 5)
    assert [it.word for it in verdicts([paired_difference(*it) for it in (up, down, equal, few)])] == [
        "better",
        "worse",
        "no difference shown",
        "cannot be shown with this many",
    ]
    # Six tasks that all win show it for one comparison, but not for two at once.
    six = paired_difference([0.0] * 6, [1.0] * 6)
    assert verdicts([six])[0].word == "better"
    assert [it.word for it in verdicts([six, six])] == ["cannot be shown with this many"] * 2


def test_fishers_exact_test() -> None:
    assert fisher_exact(1, 4, 3, 4) == pytest.approx(34 / 70)  # Fisher's tea
    assert (fisher_exact(0, 3, 0, 3), fisher_exact(3, 3, 0, 3)) == (1.0, 0.1)
    few, none = compare_rates(3, 3, 0, 3), compare_rates(0, 0, 2, 3)
    assert (few.effect, few.p_value, few.smallest_p) == (-1.0, 0.1, 0.1)
    assert (none.effect, none.smallest_p, none.interval) == (0.0, 1.0, ConfidenceInterval(-1.0, 1.0))


def test_trials_of_one_task_count_less_than_tasks() -> None:
    # As many as tasks if each only passes or fails; more if all tasks are alike; no evidence if there is nothing else.
    assert effective_tasks([1.0, 0.0, 1.0, 0.0]) == pytest.approx(4)
    assert effective_tasks([0.5, 0.6, 0.5, 0.6]) > 10
    assert (effective_tasks([1.0, 1.0]), effective_tasks([0.3]), effective_tasks([])) == (2.0, 1.0, 0.0)
    assert mean_interval([1.0, 1.0, 1.0]) == wilson(3, 3)
    assert mean_interval([]) == ConfidenceInterval(0.0, 1.0)


def test_how_many_passes_show_a_rate_above_a_threshold() -> None:
    assert [passes_to_show(it) for it in (0.0, 0.5, 0.8, 0.9, 1.0)] == [1, 5, 14, 29, None]
