"""The verdict on a run whose suite has a `Scoring`: the mean over its tasks against the threshold (docs/reference/vally.md, section 5).

Trials that could not be performed have no score; they are counted apart. A single trial may fail in an eval that passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from waza_engine.model.results.records import TaskRecord
from waza_engine.model.results.scores import TaskStats, mean
from waza_engine.model.suite import Scoring

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class EvalVerdict:
    """What the run summary says of an eval. Without a threshold every trial has to pass."""

    passed: bool
    overall_score: float
    threshold: float | None
    stimuli_run: int
    stimuli_total: int
    had_execution_errors: bool


def reaches(score: float, threshold: float) -> bool:
    """Whether the score is the threshold or more. A mean may lose a little as a floating-point number."""
    return score >= threshold - _TOLERANCE


def deciding_tasks(tasks: Sequence[TaskRecord]) -> list[TaskRecord]:
    """The tasks that decide a run: all but those in quarantine."""
    return [it for it in tasks if not it.quarantine]


def success_rate(tasks: Sequence[TaskRecord]) -> float:
    """The share of the tasks that passed, of those that could be judged."""
    judged = [it for it in tasks if it.status != "error"]
    return sum(it.status == "passed" for it in judged) / len(judged) if judged else 0.0


def eval_verdict(scoring: Scoring, tasks: Sequence[TaskRecord]) -> EvalVerdict:
    """The verdict. An eval of which nothing ran has not passed."""
    ran = [it.stats for it in tasks if it.stats is not None and _graded(it.stats)]
    overall = mean([stimulus_score(it) for it in ran])
    if scoring.threshold is None:
        passed = all(it.passed_runs == _graded(it) for it in ran)
    else:
        passed = reaches(overall, scoring.threshold)
    return EvalVerdict(
        passed=passed and bool(ran),
        overall_score=overall,
        threshold=scoring.threshold,
        stimuli_run=len(ran),
        stimuli_total=len(tasks),
        had_execution_errors=any(it.error or (it.stats and it.stats.error_runs) for it in tasks),
    )


def stimulus_score(stats: TaskStats) -> float:
    """The mean score of the trials that have one."""
    graded = _graded(stats)
    return stats.avg_score * stats.decided_runs / graded if graded else 0.0


def is_failed(scoring: Scoring, tasks: Sequence[TaskRecord]) -> bool:
    """Whether a run has failed. One in which nothing was to be judged has not."""
    verdict = eval_verdict(scoring, tasks)
    has_errors = any(
        it.error or (it.stats and it.stats.error_runs > it.stats.infrastructure_runs) for it in tasks
    )
    return has_errors or bool(verdict.stimuli_run and not verdict.passed)


def _graded(stats: TaskStats) -> int:
    return stats.passed_runs + stats.failed_runs
