"""The verdict on one trial of a stimulus: weights, threshold, constraints (docs/reference/vally.md, section 5).

A grader that could not decide counts as failed with score 0, and the others are graded all the same. A constraint that
was not kept fails the trial, and counts in no score.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.registry import generation_of
from waza_engine.grading import GraderFailure, GraderVerdict, RunVerdict, grade_entry
from waza_engine.scoring import mean, weighted_mean
from waza_engine.suite import GraderEntry, Scoring, Task
from waza_engine.vally.constraints import TYPE, constraint_verdicts, verdict_name
from waza_engine.vally.results import IN_VERDICTS, result_object
from waza_engine.vally.thresholds import reaches


def trial_verdict(task: Task, scoring: Scoring, context: GradingContext) -> RunVerdict:
    """The verdict on what the agent did. An agent that failed without leaving an answer makes it an `error`."""
    graded = [_told(_graded(it, context), it.written_name or it.type) for it in task.graders]
    kept = [_told(it, it.name) for it in constraint_verdicts(task.constraints, context)]
    score = trial_score(graded)
    passed = is_passed(score, scoring.threshold, graded) and all(it.result.passed for it in kept)
    status: Literal["passed", "failed", "error"] = "passed" if passed else "failed"
    if context.error and not context.output.strip():
        status = "error"
    return RunVerdict(status, score, score, {it.name: it for it in (*graded, *kept)})


def trial_score(verdicts: Sequence[GraderVerdict]) -> float:
    """The weighted mean; the plain one where no grader has a weight; 1 where nothing was checked."""
    if not verdicts:
        return 1.0
    scores = [(it.result.score, it.weight) for it in verdicts]
    return weighted_mean(scores) if any(weight for _, weight in scores) else mean([it for it, _ in scores])


def is_passed(score: float, threshold: float | None, verdicts: Sequence[GraderVerdict]) -> bool:
    """Whether the score reaches the threshold; without one, whether every grader passed."""
    if threshold is not None:
        return reaches(score, threshold)
    return all(it.result.passed for it in verdicts)


def constraint_entries(task: Task) -> tuple[GraderEntry, ...]:
    """Where the constraints of a task stand, as entries that verdicts find their way back to."""
    return tuple(
        GraderEntry(TYPE, verdict_name(it), 0.0, path=task.path, pointer=it.pointer, dialect="vally")
        for it in task.constraints
    )


def _graded(entry: GraderEntry, context: GradingContext) -> GraderVerdict:
    graded = grade_entry(entry, context, generation_of(entry), "task")
    if isinstance(graded, GraderFailure):
        result = GraderResult.undecided(graded.message)
        return GraderVerdict(entry.name, entry.type, entry.weight, result)
    return replace(graded, name=entry.name, weight=entry.weight)


def _told(verdict: GraderVerdict, name: str) -> GraderVerdict:
    """The verdict with all that vally's results say of it among its details, its `name` there too if it is another."""
    told = {key: it for key, it in result_object(verdict).items() if key not in IN_VERDICTS}
    if name != verdict.name:
        told["name"] = name
    return replace(verdict, result=replace(verdict.result, details=told))
