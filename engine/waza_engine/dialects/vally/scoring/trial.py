"""The verdict on one trial: weights, threshold and constraints (docs/reference/vally.md, sections 3 and 5).

A grader that cannot decide fails with score 0; the other graders still count. Constraints do not affect the score, but
a violated one fails the trial, and so does one about data that was not recorded. Constraints compare names exactly,
and a value equal to the limit is allowed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from waza_engine.dialects.vally.scoring.results import VERDICT_MEMBERS, result_members
from waza_engine.dialects.vally.trajectory.calls import calls_in
from waza_engine.dialects.vally.trajectory.events import events_of, of_type
from waza_engine.dialects.vally.trajectory.metrics import format_metric, tokens, turn_count, wall_time_ms
from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.graders.result import GradedTrial, GraderFailure, GraderResult, GraderVerdict, RunVerdict
from waza_engine.model.results.scores import mean, weighted_mean
from waza_engine.model.results.threshold import reaches
from waza_engine.model.suite import CONSTRAINT, Constraint, GraderEntry

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
    """Yield the verdicts in the order of the constraints."""
    for it in constraints:
        try:
            result = _check(it, context)
        except GradeError as error:
            result = GraderResult.undecided(str(error))
        yield GraderVerdict(it.verdict_name, CONSTRAINT, 0.0, result)


def _check(constraint: Constraint, context: GradingContext) -> GraderResult:
    if constraint.key in _LIMITS:
        return _check_limit(constraint, context)
    mode, kind = constraint.key.split("_")
    used = _names_used(kind, context)
    if mode == "expect":
        missing = [it for it in constraint.value if it not in used]
        return _result(f"not used: {', '.join(missing)}" if missing else "", f"all {kind} were used")
    rejected = [it for it in dict.fromkeys(used) if it in constraint.value or _ALL in constraint.value]
    return _result(f"used: {', '.join(rejected)}" if rejected else "", f"no rejected {kind} were used")


def _names_used(kind: str, context: GradingContext) -> list[str]:
    events = events_of(context)
    if kind == "tools":
        return [it.name for it in calls_in(events)]
    return [str(it.get("name")) for it in of_type(events, "skill_activation")]


def _check_limit(constraint: Constraint, context: GradingContext) -> GraderResult:
    metric, unit = _LIMITS[constraint.key]
    value, limit = metric(context), constraint.value
    if value is None:
        return GraderResult.undecided(f"the recording has no {unit}")
    details = {"value": value, "max": limit}
    if value <= limit:
        return GraderResult(
            1.0, True, f"{format_metric(value)} {unit}, at most {format_metric(limit)}", details
        )
    return GraderResult(
        0.0, False, f"{format_metric(value)} {unit}, more than {format_metric(limit)}", details
    )


def _result(problem: str, success: str) -> GraderResult:
    return GraderResult(float(not problem), not problem, problem or success)


def trial_verdict(trial: GradedTrial) -> RunVerdict:
    """Return the verdict on a trial: an `error` if the agent failed without an answer."""
    context = trial.context
    graded = [
        _with_result_details(_entry_verdict(it, outcome), it.original_name or it.type)
        for it, outcome in trial.graded
    ]
    limits = [_with_result_details(it, it.name) for it in constraint_verdicts(trial.constraints, context)]
    score = trial_score(graded)
    passed = is_passed(score, trial.scoring.threshold, graded) and all(it.result.passed for it in limits)
    status: Literal["passed", "failed", "error"] = "passed" if passed else "failed"
    if context.error and not context.output.strip():
        status = "error"
    results = {it.name: it for it in (*graded, *limits)}
    # If the trial fails even with the best verdicts of these graders, they do not matter.
    best = [replace(it, result=_at_best(it.result)) for it in graded]
    may_pass = is_passed(trial_score(best), trial.scoring.threshold, best)
    is_open = not passed and best != graded and may_pass and all(it.result.passed for it in limits)
    return RunVerdict(status, score, score, results, infrastructure=is_open)


def _at_best(result: GraderResult) -> GraderResult:
    return replace(result, score=1.0, passed=True) if result.infrastructure else result


def trial_score(verdicts: Sequence[GraderVerdict]) -> float:
    """Return the weighted mean score; the plain mean if all weights are 0, 1 without graders."""
    if not verdicts:
        return 1.0
    scores = [(it.result.score, it.weight) for it in verdicts]
    return weighted_mean(scores) if any(weight for _, weight in scores) else mean([it for it, _ in scores])


def is_passed(score: float, threshold: float | None, verdicts: Sequence[GraderVerdict]) -> bool:
    """Whether the score reaches the threshold; without a threshold, whether all graders passed."""
    if threshold is not None:
        return reaches(score, threshold)
    return all(it.result.passed for it in verdicts)


def _entry_verdict(entry: GraderEntry, graded: GraderVerdict | GraderFailure) -> GraderVerdict:
    if isinstance(graded, GraderFailure):
        result = replace(GraderResult.undecided(graded.message), infrastructure=graded.infrastructure)
        return GraderVerdict(entry.name, entry.type, entry.weight, result)
    return replace(graded, name=entry.name, weight=entry.weight)


def _with_result_details(verdict: GraderVerdict, name: str) -> GraderVerdict:
    """Return the verdict with the members of vally's result as details, and `name` if it differs."""
    details = {key: it for key, it in result_members(verdict).items() if key not in VERDICT_MEMBERS}
    if name != verdict.name:
        details["name"] = name
    return replace(verdict, result=replace(verdict.result, details=details))
