"""The `constraints` of a stimulus: each a check of its own that counts in no score.

See docs/reference/vally.md, section 3.

Names are compared exactly, and a value that is just the limit is within it. A constraint about something that was not
recorded could not be decided, and so fails.
"""

from collections.abc import Iterator, Sequence

from waza_engine.graders.base import GradeError, GradingContext
from waza_engine.graders.result import GraderResult, GraderVerdict
from waza_engine.suite import CONSTRAINT, Constraint
from waza_engine.vally.calls import calls_in
from waza_engine.vally.events import events_of, of_type
from waza_engine.vally.metrics import measured, tokens, turn_count, wall_time_ms

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
        return GraderResult(1.0, True, f"{measured(value)} {unit}, at most {measured(limit)}", told)
    return GraderResult(0.0, False, f"{measured(value)} {unit}, more than {measured(limit)}", told)


def _result(problem: str, fine: str) -> GraderResult:
    return GraderResult(float(not problem), not problem, problem or fine)
