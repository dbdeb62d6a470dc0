"""Metrics that only the Python generation computed (docs/reference/waza-formats.md, section 14.5).

Newer versions of waza read them and never look at their thresholds. They are shown, because authors of such evals
expect them, and they decide nothing. `trigger_accuracy` is a real metric, measured elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence

from waza_engine.runs.records import MetricResult, TaskRecord
from waza_engine.runs.triggers import ACCURACY
from waza_engine.scoring import mean, weighted_mean
from waza_engine.suite import Metric


def measures(metrics: Iterable[Metric], tasks: Sequence[TaskRecord]) -> Iterator[MetricResult]:
    """The metrics with their values, in the order of the file."""
    for it in metrics:
        if it.name != ACCURACY:
            value = _value(it.name, tasks)
            yield MetricResult(it.name, value, it.threshold, value >= it.threshold, it.weight)


def composite_score(results: Iterable[MetricResult]) -> float:
    """The metrics' values by weight, 0.0 without metrics."""
    return weighted_mean([(it.value, it.weight) for it in results])


def _value(name: str, tasks: Sequence[TaskRecord]) -> float:
    match name:
        case "task_completion":
            # A task of which some trials passed was "partial", and counted as completed.
            return mean([float(it.stats is not None and it.stats.passed_runs > 0) for it in tasks])
        case "behavior_quality":
            # The mean over all trials that have results (docs/reference/waza-graders.md, section 7.14); those
            # without have score 0.
            found = [it.stats for it in tasks if it.stats]
            results = sum(it.runs_with_results for it in found)
            return sum(it.avg_score * it.total_runs for it in found) / results if results else 0.0
        case _:
            return mean([float(it.status == "passed") for it in tasks])
