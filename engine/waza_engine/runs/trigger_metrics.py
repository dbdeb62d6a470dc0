"""Sum up the results of trigger tests. Apart from `triggers`, which runs them: reports do without executors."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from waza_engine.model.results.records import MetricResult, TriggerMetrics, TriggerResult
from waza_engine.model.suite import Metric

ACCURACY = "trigger_accuracy"
_MEDIUM_WEIGHT = 0.5


def trigger_metrics(results: Sequence[TriggerResult]) -> TriggerMetrics | None:
    """Return precision, recall, F1 and accuracy; None if no prompt counts. One with medium confidence counts half."""
    results = [it for it in results if not it.infrastructure]
    if not results:
        return None
    true_positives = _total_weight(it for it in results if it.should_trigger and _is_right(it))
    false_negatives = _total_weight(it for it in results if it.should_trigger and not _is_right(it))
    true_negatives = _total_weight(it for it in results if not it.should_trigger and _is_right(it))
    false_positives = _total_weight(it for it in results if not it.should_trigger and not _is_right(it))
    precision = _ratio(true_positives, true_positives + false_positives)
    recall = _ratio(true_positives, true_positives + false_negatives)
    return TriggerMetrics(
        true_positives=_round_half_up(true_positives),
        false_positives=_round_half_up(false_positives),
        true_negatives=_round_half_up(true_negatives),
        false_negatives=_round_half_up(false_negatives),
        errors=sum(bool(it.error) for it in results),
        precision=_four_digits(precision),
        recall=_four_digits(recall),
        f1=_four_digits(_ratio(2 * precision * recall, precision + recall)),
        accuracy=_four_digits(_ratio(true_positives + true_negatives, _total_weight(results))),
    )


def accuracy_metric(metrics: Iterable[Metric], results: Sequence[TriggerResult]) -> MetricResult | None:
    """Return the result of the suite's `trigger_accuracy` metric, or None without the metric or prompts that count.

    Prompts that could not be run do not count in its value. It fails only if they could not save it.
    """
    metric = next((it for it in metrics if it.name == ACCURACY), None)
    measured = trigger_metrics(results)
    best = trigger_metrics([_as_right(it) if it.infrastructure else it for it in results])
    if metric is None or measured is None or best is None:
        return None
    passed = metric.threshold <= 0 or best.accuracy >= metric.threshold
    return MetricResult(metric.name, measured.accuracy, metric.threshold, passed, metric.weight)


def _as_right(result: TriggerResult) -> TriggerResult:
    return replace(result, did_trigger=result.should_trigger, error="", infrastructure=False)


def _is_right(result: TriggerResult) -> bool:
    return not result.error and result.did_trigger == result.should_trigger


def _total_weight(results: Iterable[TriggerResult]) -> float:
    return sum(_MEDIUM_WEIGHT if it.confidence == "medium" else 1.0 for it in results)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _round_half_up(number: float) -> int:
    """Round as Go does: halves away from zero."""
    return math.floor(number + 0.5)


def _four_digits(number: float) -> float:
    return _round_half_up(number * 10_000) / 10_000
