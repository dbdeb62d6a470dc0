"""Compare runs of the same tasks: what the difference of each run to the first one shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.results.scores import ConfidenceInterval, TaskStats
from waza_engine.statistics.paired import PairedDifference, paired_difference
from waza_engine.statistics.two_rates import RateDifference, compare_rates
from waza_engine.statistics.verdict import Verdict, Word, verdicts


@dataclass(frozen=True, slots=True)
class Measured:
    """A difference in one measure over all tasks, and what it shows."""

    difference: PairedDifference
    verdict: Verdict

    @property
    def word(self) -> Word:
        return self.verdict.word


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """The difference of one task's pass rates, and what it shows. Its trials are independent of each other."""

    difference: RateDifference
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RunComparison:
    """A run against the first one. `corrected_for` counts the comparisons that were made at once.

    `tasks` has the tasks that both runs could judge, by id.
    """

    score: Measured
    pass_rate: Measured
    tasks: Mapping[str, MeasuredTask]
    corrected_for: int

    @property
    def is_worse(self) -> bool:
        """Whether a regression is shown."""
        return "worse" in (self.score.word, self.pass_rate.word)

    @property
    def is_possibly_worse(self) -> bool:
        """Whether the score or the pass rate is lower, shown or not."""
        return min(self.score.difference.effect, self.pass_rate.difference.effect) < 0


def compare_runs(records: Sequence[RunRecord]) -> list[RunComparison]:
    """Compare each run but the first with the first, corrected for all these comparisons together.

    A task counts if both runs could judge it, and neither had it in quarantine. If every task scores exactly what it passes,
    score and pass rate are one comparison, not two.
    """
    first, *others = records
    pairs = [_common_tasks(first, it) for it in others]
    scores = [paired_difference(*_means(it, "avg_score")) for it in pairs]
    rates = [paired_difference(*_means(it, "pass_rate")) for it in pairs]
    own_rates = [] if scores == rates else rates
    found = verdicts([*scores, *own_rates])
    of_scores, of_rates = found[: len(scores)], found[len(scores) :] or found
    return [
        RunComparison(
            Measured(score, score_verdict), Measured(rate, rate_verdict), _measure_tasks(tasks), len(found)
        )
        for tasks, score, rate, score_verdict, rate_verdict in zip(
            pairs, scores, rates, of_scores, of_rates, strict=True
        )
    ]


def _common_tasks(first: RunRecord, other: RunRecord) -> dict[str, tuple[TaskStats, TaskStats]]:
    before, after = ({it.task: it.stats for it in run.tasks if _is_judged(it)} for run in (first, other))
    pairs = ((task, stats, after.get(task)) for task, stats in before.items())
    return {task: (stats, now) for task, stats, now in pairs if stats is not None and now is not None}


def _is_judged(task: TaskRecord) -> bool:
    stats = task.stats if task.status not in ("error", "skipped") and not task.quarantine else None
    return stats is not None and stats.decided_runs > 0


def _means(tasks: Mapping[str, tuple[TaskStats, TaskStats]], field: str) -> tuple[list[float], list[float]]:
    """Return a value of each task before and after. Results files of others may hold any number."""

    def values(index: int) -> list[float]:
        return [min(1.0, max(0.0, getattr(it[index], field))) for it in tasks.values()]

    return values(0), values(1)


def _measure_tasks(tasks: Mapping[str, tuple[TaskStats, TaskStats]]) -> dict[str, MeasuredTask]:
    differences = [
        compare_rates(before.passed_runs, before.decided_runs, after.passed_runs, after.decided_runs)
        for before, after in tasks.values()
    ]
    return {
        task: MeasuredTask(*it)
        for task, it in zip(tasks, zip(differences, verdicts(differences), strict=True), strict=True)
    }


def comparison_json(found: RunComparison) -> dict[str, Any]:
    """Return a comparison as JSON data."""
    measures = {"score": found.score, "pass_rate": found.pass_rate}
    return {name: measured_json(it.difference, it.verdict) for name, it in measures.items()} | {
        "corrected_for": found.corrected_for,
        "correction": "holm",
    }


def measured_json(difference: PairedDifference, verdict: Verdict) -> dict[str, Any]:
    """Return a paired difference with its verdict as JSON data."""
    return {
        "effect": difference.effect,
        "interval": _interval_json(difference.interval),
        "tasks": difference.tasks,
        "wins": difference.wins,
        "losses": difference.losses,
        "ties": difference.ties,
        "p_value": difference.p_value,
        "p_value_corrected": verdict.p_value,
        "sign_test_p_value": difference.sign_p_value,
        "smallest_p_value": difference.smallest_p,
        "verdict": verdict.word,
    }


def task_json(found: MeasuredTask) -> dict[str, Any]:
    """Return the comparison of one task's pass rates as JSON data."""
    return {
        "effect": found.difference.effect,
        "interval": _interval_json(found.difference.interval),
        "p_value": found.difference.p_value,
        "p_value_corrected": found.verdict.p_value,
        "verdict": found.verdict.word,
    }


def _interval_json(interval: ConfidenceInterval) -> list[float]:
    return [interval.lower, interval.upper]
