"""Planning, sequential tests, agreement and flip rates."""

import random

import pytest

from waza_engine.model.results.scores import ConfidenceInterval
from waza_engine.statistics.agreement import agreement, confusion
from waza_engine.statistics.distributions import normal_quantile
from waza_engine.statistics.flips import flip_rate
from waza_engine.statistics.paired import paired_difference, sign_flip_test
from waza_engine.statistics.power import (
    detectable_effect,
    half_width,
    power,
    sign_flip_of_counts,
    tasks_needed,
)
from waza_engine.statistics.sequential import (
    confidence_sequence,
    decide_difference,
    decide_rate,
    e_value_above,
    e_value_below,
)
from waza_engine.statistics.task_model import Design, difference_chances


def test_the_normal_quantile() -> None:
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
    assert normal_quantile(0.5) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("trials", [1, 3])
def test_a_plan_has_the_power_that_was_wanted(trials: int) -> None:
    tasks = tasks_needed(Design(0, trials, rate=0.5, between=0.0), 0.4)
    assert tasks is not None
    rng, shown = random.Random(5), 0  # noqa: S311  # statistics, no secret
    for _ in range(1000):
        before = [sum(rng.random() < 0.5 for _ in range(trials)) / trials for _ in range(tasks)]
        after = [sum(rng.random() < 0.9 for _ in range(trials)) / trials for _ in range(tasks)]
        found = paired_difference(before, after)
        shown += found.p_value <= 0.05 and found.effect > 0
    assert shown / 1000 == pytest.approx(power(Design(tasks, trials, 0.5, 0.0), 0.4), abs=0.03)


def test_tasks_differ_as_assumed() -> None:
    # All tasks alike: two binomial trials. Tasks that always pass or fail: most of them change never.
    assert difference_chances(1, 0.5, 0.8, 0.0) == pytest.approx((0.1, 0.5, 0.4))
    lost, same, won = difference_chances(1, 0.5, 0.8, 0.9)
    assert (lost < 0.02, same > 0.6, won - lost == pytest.approx(0.3)) == (True, True, True)
    assert sum(difference_chances(4, 0.2, 1.0, 0.3)) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_whole_numbers_give_the_p_value_of_the_test(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    counts = [rng.randint(-3, 4) for _ in range(rng.randint(0, 14))]
    assert sign_flip_of_counts(counts) == pytest.approx(sign_flip_test([it / 4 for it in counts]))


def test_power_grows_with_tasks_trials_and_effect() -> None:
    small = Design(tasks=20, trials=3)
    assert power(small, 0.1) < power(small, 0.2) < power(Design(tasks=40, trials=3), 0.2)
    assert power(small, 0.2) < power(Design(tasks=20, trials=9), 0.2)
    assert power(Design(tasks=20, rate=0.9), -0.2) == pytest.approx(power(Design(tasks=20, rate=0.1), 0.2))
    assert (power(Design(tasks=5, trials=50), 0.5), power(Design(tasks=9, rate=1.0), 0.1)) == (0.0, 0.0)
    assert detectable_effect(Design(tasks=5, trials=50)) is None
    effect = detectable_effect(Design(tasks=30, trials=3))
    assert effect is not None
    assert power(Design(tasks=30, trials=3), effect) == pytest.approx(0.8, abs=0.01)
    assert (tasks_needed(small, 0.0), tasks_needed(small, 1e-4)) == (None, None)
    assert (tasks_needed(small, 0.5) or 0) < (tasks_needed(small, 0.25) or 0)


def test_the_half_width_of_a_pass_rate() -> None:
    assert half_width(Design(tasks=20)) == pytest.approx(0.2007, abs=1e-4)
    assert half_width(Design(tasks=20, trials=5, between=1.0)) == half_width(Design(tasks=20))
    assert half_width(Design(tasks=20, trials=5, between=0.0)) == half_width(Design(tasks=100))


def test_evidence_grows_only_against_what_is_wrong() -> None:
    assert e_value_above([], 0.5) == 1.0
    assert (e_value_above([1.0] * 5, 0.5) > 8, e_value_below([1.0] * 5, 0.5) < 1) == (True, True)
    assert e_value_above([1.0, 0.0, 1.0], 0.4) == pytest.approx(e_value_above([0.0, 1.0, 1.0], 0.4))
    assert (decide_rate([1.0] * 40, 0.8), decide_rate([0.0] * 4, 0.8)) == ("above", "below")
    assert (decide_rate([1.0, 0.0] * 10, 0.5), decide_rate([1.0], 0.0)) == ("open", "above")
    assert decide_rate([0.9] * 2, 1.0) == "below"


def test_a_decision_stays_whatever_comes_later() -> None:
    for_good = [1.0] * 9 + [-1.0] * 4
    assert decide_difference(for_good) == "better"
    assert decide_difference([-it for it in for_good]) == "worse"
    assert decide_difference([0.5, -0.5] * 20) == "open"
    assert (decide_difference([]), decide_rate([], 0.5), decide_rate([1.0], 1.0)) == ("open", "open", "open")
    # Small differences that always have the same sign show as much as large ones, and five can never show anything.
    assert (decide_difference([0.2] * 10), decide_difference([1.0] * 5)) == ("better", "open")


def test_the_sequential_interval_agrees_with_the_evidence() -> None:
    scores = [1.0, 0.0, 1.0, 1.0, 0.5] * 10
    found = confidence_sequence(scores)
    assert found.lower < 0.7 < found.upper
    assert e_value_above(scores, found.lower) == pytest.approx(40, rel=1e-3)
    assert e_value_below(scores, found.upper) == pytest.approx(40, rel=1e-3)
    assert confidence_sequence([]) == ConfidenceInterval(0.0, 1.0)
    assert confidence_sequence([1.0] * 9).upper == 1.0


def test_sequential_decisions_are_wrong_in_at_most_a_twentieth() -> None:
    rng, wrong = random.Random(9), 0  # noqa: S311
    for _ in range(1000):
        # Three trials of each task, which belong together; the mean is exactly the threshold.
        tasks = [rng.choice([0.5, 0.8, 1.0, 0.9]) for _ in range(60)]
        scores = [sum(rng.random() < rate for _ in range(3)) / 3 for rate in tasks]
        wrong += decide_rate(scores, 0.8) != "open"
    assert wrong <= 50


def test_agreement_of_two_judges() -> None:
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    table = confusion(pairs, ["yes", "no"])
    assert table == [[20, 5], [10, 15]]
    found = agreement(table)
    assert [found.items, found.agreed, found.kappa] == pytest.approx([50, 0.7, 0.4])
    assert found.kappa_interval is not None
    assert found.kappa_interval.lower == pytest.approx(0.1511, abs=1e-3)
    for nothing in ([[7, 0], [0, 0]], [[0, 0], [0, 0]]):
        assert (agreement(nothing).kappa, agreement(nothing).kappa_interval) == (None, None)
    # Six items without a disagreement do not make the agreement certain.
    perfect = agreement([[3, 0], [0, 3]])
    assert perfect.kappa_interval is not None
    assert [perfect.kappa, perfect.kappa_interval.lower] == pytest.approx([1.0, 0.219], abs=1e-3)
    # A judge that passes everything agrees no more than by chance, but 20 items do not make that certain.
    always = agreement([[13, 7], [0, 0]])
    assert always.kappa_interval is not None
    assert [always.kappa, always.kappa_interval.lower, always.kappa_interval.upper] == pytest.approx(
        [0.0, -0.620, 0.482], abs=1e-3
    )
    never = agreement([[0, 5], [5, 0]])
    assert never.kappa_interval is not None
    assert [never.kappa, never.kappa_interval.upper] == pytest.approx([-1.0, -0.445], abs=1e-3)


def test_flip_rates() -> None:
    found = flip_rate([[True, False], [True, True], [False, False, False], [True]])
    assert [found.rate, found.mixed, found.things] == pytest.approx([1 / 3, 1, 3])
    assert found.interval.lower < 1 / 3 < found.interval.upper
    one = flip_rate([[True, True, True, False]])
    assert one.rate == pytest.approx(0.5)
    assert one.interval.upper == 0.5
    assert flip_rate([[True] * 20]).interval.upper < 0.3
    for count in range(2, 60):
        for passed in range(count + 1):
            verdicts = [True] * passed + [False] * (count - passed)
            for things in (1, 2, 20):
                any_of = flip_rate([verdicts] * things)
                assert any_of.rate is not None
                assert any_of.interval.lower <= any_of.rate <= any_of.interval.upper <= 0.5, (passed, count)
    assert (flip_rate([[True], []]).rate, flip_rate([]).interval) == (None, ConfidenceInterval(0.0, 1.0))
