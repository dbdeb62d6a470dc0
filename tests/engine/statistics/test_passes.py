"""pass@k with the values that vally documents (docs/reference/vally.md, section 5), and pass^k."""

from itertools import combinations

import pytest

from waza_engine.statistics.passes import (
    MultiTrialMetrics,
    multi_trial_metrics,
    pass_at_k,
    pass_power_k,
    pass_to_the_k,
    passes_of_tasks,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [(5, 3, 5, 1.0), (5, 4, 5, 1.0), (5, 0, 5, 0.0), (4, 2, 2, 1 - 1 / 6), (10, 1, 1, 0.1), (3, 3, 1, 1.0)],
)
def test_pass_at_k_is_the_unbiased_estimator(n: int, c: int, k: int, value: float) -> None:
    assert pass_at_k(n, c, k) == pytest.approx(value)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, 1, 4), (3, -1, 1), (3, 1, 0)])
def test_impossible_numbers_of_trials_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        pass_at_k(n, c, k)


def test_pass_to_the_k_is_the_probability_that_all_pass() -> None:
    assert pass_to_the_k(0.8, 5) == pytest.approx(0.328, abs=5e-4)


def test_the_metrics_of_trials() -> None:
    metrics = multi_trial_metrics([True, False, True, True])
    assert metrics == MultiTrialMetrics(0.75, 1.0, 0.75**4, 4)
    assert metrics.is_flaky
    assert multi_trial_metrics([]) == MultiTrialMetrics(0.0, 0.0, 0.0, 0)
    assert not multi_trial_metrics([True]).is_flaky


@pytest.mark.parametrize("k", [1, 2, 4])
def test_both_estimators_count_all_choices_of_k_trials(k: int) -> None:
    trials = [True, False, True, True, False]
    choices = list(combinations(trials, k))
    assert pass_at_k(5, 3, k) == pytest.approx(sum(map(any, choices)) / len(choices))
    assert pass_power_k(5, 3, k) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_the_rates_of_tasks_leave_out_those_with_too_few_trials() -> None:
    found = passes_of_tasks([(3, 3), (3, 1), (1, 1)], 2)
    assert found is not None
    assert [found.tasks, found.at_k, found.power_k] == pytest.approx([2, (1 + 2 / 3) / 2, 0.5])
    assert (found.power_k_interval.lower < 0.2, found.power_k_interval.upper > 0.8) == (True, True)
    assert passes_of_tasks([(1, 1)], 2) is None
