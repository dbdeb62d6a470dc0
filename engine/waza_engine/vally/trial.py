"""The verdict on one trial of a stimulus: weights, threshold, constraints (docs/reference/vally.md, section 5).

A grader that could not decide counts as failed with score 0, and the others are graded all the same. A constraint that
was not kept fails the trial, and counts in no score.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from waza_engine.graders.result import GradedTrial, GraderFailure, GraderResult, GraderVerdict, RunVerdict
from waza_engine.model.threshold import reaches
from waza_engine.scoring import mean, weighted_mean
from waza_engine.suite import GraderEntry
from waza_engine.vally.constraints import constraint_verdicts
from waza_engine.vally.results import IN_VERDICTS, result_object


def trial_verdict(trial: GradedTrial) -> RunVerdict:
    """The verdict on what the agent did. An agent that failed without leaving an answer makes it an `error`."""
    context = trial.context
    graded = [_told(_decided(it, outcome), it.written_name or it.type) for it, outcome in trial.graded]
    kept = [_told(it, it.name) for it in constraint_verdicts(trial.constraints, context)]
    score = trial_score(graded)
    passed = is_passed(score, trial.scoring.threshold, graded) and all(it.result.passed for it in kept)
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


def _decided(entry: GraderEntry, graded: GraderVerdict | GraderFailure) -> GraderVerdict:
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
