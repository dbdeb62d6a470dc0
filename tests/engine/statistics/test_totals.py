"""Totals of tasks and suites.

See docs/reference/waza-graders.md, section 2.3, and docs/reference/waza-formats.md, section 14.
"""

import random

import pytest

from waza_engine.model.results.scores import (
    TaskTotals,
    TrialTotals,
    mean,
    standard_deviation,
    task_status,
    weighted_mean,
)
from waza_engine.statistics.bootstrap import bootstrap
from waza_engine.statistics.totals import suite_totals, task_stats


def test_means() -> None:
    assert mean([]) == 0.0
    assert mean([1.0, 0.0, 1.0]) == pytest.approx(2 / 3)
    assert weighted_mean([]) == 0.0
    assert weighted_mean([(1.0, 3), (0.0, 0.5), (1.0, 1)]) == pytest.approx(4 / 4.5)
    assert standard_deviation([1.0, 0.0]) == 0.5


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "skipped"),
        (["skipped", "skipped"], "skipped"),
        (["skipped", "passed"], "passed"),
        (["passed", "failed"], "failed"),
        (["passed", "error"], "failed"),
    ],
)
def test_the_status_of_a_task(statuses: list[str], expected: str) -> None:
    assert task_status(statuses) == expected  # type: ignore[arg-type]  # the parameters are statuses


def test_the_stats_of_a_task() -> None:
    runs = [
        TrialTotals("passed", 1.0, 1.0, 100),
        TrialTotals("failed", 0.5, 0.25, 201),
        TrialTotals("error", 0.0, 0.0, 0),
        TrialTotals("passed", 1.0, 1.0, 100),
    ]
    stats = task_stats(runs, random.Random(1))  # noqa: S311  # resampling, no secret
    assert (stats.status, stats.pass_rate, stats.flaky, stats.flakiness_percent) == (
        "failed",
        0.5,
        True,
        50.0,
    )
    assert (stats.passed_runs, stats.failed_runs, stats.error_runs, stats.total_runs) == (2, 1, 1, 4)
    assert (stats.avg_score, stats.min_score, stats.max_score) == (0.625, 0.0, 1.0)
    assert stats.score_variance == pytest.approx(0.171875)
    assert stats.std_dev_score == pytest.approx(0.171875**0.5)
    assert stats.avg_weighted_score == 0.5625
    assert stats.avg_duration_ms == 100
    assert stats.interval is not None
    assert stats.interval.mean == 0.5625


def test_one_trial_has_no_interval_and_without_trials_all_is_zero() -> None:
    assert task_stats([TrialTotals("passed", 1.0, 1.0, 5)], random.Random(1)).interval is None  # noqa: S311
    empty = task_stats([], random.Random(1))  # noqa: S311
    assert (empty.status, empty.pass_rate, empty.avg_duration_ms, empty.flaky) == ("skipped", 0.0, 0, False)


def test_the_same_seed_gives_the_same_interval() -> None:
    scores = [0.1, 0.4, 0.5, 0.9, 1.0]
    first, second = (bootstrap(scores, random.Random(7)) for _ in range(2))  # noqa: S311
    assert first == second
    assert first.lower < first.mean < first.upper
    assert (first.resamples, first.confidence_level) == (10_000, 0.95)
    constant = bootstrap([0.5, 0.5], random.Random(7))  # noqa: S311
    assert (constant.lower, constant.upper) == (0.5, 0.5)


def test_the_interval_ends_at_the_documented_percentiles() -> None:
    class Steps(random.Random):
        """Draws 0, 1, 2, ... in turn, so that the resampled means are known."""

        drawn = -1

        def choices(self, *_: object, **__: object) -> list[float]:  # type: ignore[override]  # one use
            self.drawn += 1
            return [float(self.drawn)]

    interval = bootstrap([0.0, 1.0], Steps(), resamples=1000)
    assert (interval.lower, interval.upper) == (25.0, 975.0)


def test_the_totals_of_a_suite() -> None:
    tasks = [TaskTotals("passed", 1.0, 1.0), TaskTotals("failed", 0.0, 0.5), TaskTotals("failed")]
    totals = suite_totals(tasks, 3, random.Random(1))  # noqa: S311
    assert (totals.total, totals.succeeded, totals.failed, totals.errors) == (3, 1, 2, 0)
    assert totals.success_rate == pytest.approx(1 / 3)
    assert totals.aggregate_score == pytest.approx(1 / 3)
    assert totals.weighted_score == 0.5
    assert (totals.min_score, totals.max_score) == (0.0, 1.0)
    assert totals.interval is not None
    assert suite_totals(tasks, 1, random.Random(1)).interval is None  # noqa: S311
    assert suite_totals([], 3, random.Random(1)).success_rate == 0.0  # noqa: S311
