"""The verdict on one trial of a stimulus: weights, threshold, constraints (docs/reference/vally.md, section 5).

A grader that could not decide counts as failed with score 0, and the others are graded all the same. A constraint that
was not kept fails the trial, and counts in no score.

The `constraints` of a stimulus: each a check of its own that counts in no score.

See docs/reference/vally.md, section 3.

Names are compared exactly, and a value that is just the limit is within it. A constraint about something that was not
recorded could not be decided, and so fails.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from waza_engine.dialects.vally.scoring.results import IN_VERDICTS, result_object
from waza_engine.dialects.vally.trajectory.calls import calls_in
from waza_engine.dialects.vally.trajectory.events import events_of, of_type
from waza_engine.dialects.vally.trajectory.metrics import format_metric, tokens, turn_count, wall_time_ms
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.graders.result import GradedTrial, GraderFailure, GraderResult, GraderVerdict, RunVerdict
from waza_engine.model.scores import mean, weighted_mean
from waza_engine.model.suite import CONSTRAINT, Constraint, GraderEntry
from waza_engine.model.threshold import reaches

_ALL = "*"
_LIMITS = {
    "max_turns": (turn_count, "turns"),
    "max_tokens": (tokens, "tokens"),
    "max_duration": (wall_time_ms, "ms"),
    "max_agent_duration": (wall_time_ms, "ms"),
}


def constraint_verdicts(
    constraints: Sequence[Constraint], context: GradingContext
) -> Iterator[GraderVerdict]:
    """The verdicts, in the order of the constraints."""
    for it in constraints:
        try:
            result = _judged(it, context)
        except GradeError as error:
            result = GraderResult.undecided(str(error))
        yield GraderVerdict(it.verdict_name, CONSTRAINT, 0.0, result)


def _judged(constraint: Constraint, context: GradingContext) -> GraderResult:
    if constraint.key in _LIMITS:
        return _within(constraint, context)
    wanted, what = constraint.key.split("_")
    used = _used(what, context)
    if wanted == "expect":
        missing = [it for it in constraint.value if it not in used]
        return _result(f"not used: {', '.join(missing)}" if missing else "", f"all {what} were used")
    found = [it for it in dict.fromkeys(used) if it in constraint.value or _ALL in constraint.value]
    return _result(f"used: {', '.join(found)}" if found else "", f"no rejected {what} were used")


def _used(what: str, context: GradingContext) -> list[str]:
    events = events_of(context)
    if what == "tools":
        return [it.name for it in calls_in(events)]
    return [str(it.get("name")) for it in of_type(events, "skill_activation")]


def _within(constraint: Constraint, context: GradingContext) -> GraderResult:
    measure, unit = _LIMITS[constraint.key]
    value, limit = measure(context), constraint.value
    if value is None:
        return GraderResult.undecided(f"the recording does not tell the {unit}")
    told = {"value": value, "max": limit}
    if value <= limit:
        return GraderResult(1.0, True, f"{format_metric(value)} {unit}, at most {format_metric(limit)}", told)
    return GraderResult(0.0, False, f"{format_metric(value)} {unit}, more than {format_metric(limit)}", told)


def _result(problem: str, fine: str) -> GraderResult:
    return GraderResult(float(not problem), not problem, problem or fine)


def trial_verdict(trial: GradedTrial) -> RunVerdict:
    """The verdict on what the agent did. An agent that failed without leaving an answer makes it an `error`."""
    context = trial.context
    graded = [_told(_decided(it, outcome), it.original_name or it.type) for it, outcome in trial.graded]
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
