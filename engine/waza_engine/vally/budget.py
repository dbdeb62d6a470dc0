"""The budget graders: a measure of the trial must not exceed `max` (vally.md, section 7.4)."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext
from waza_engine.vally.fields import Integer
from waza_engine.vally.grader import VallyGrader

Measure = Callable[[GradingContext], float | None]


def within_budget(value: float | None, most: float, unit: str) -> GraderResult:
    """1 up to `most`, then falling in a straight line to 0 at twice as much."""
    if value is None:
        return GraderResult.undecided(f"Cannot tell: the recording has no {unit}")
    details = {"value": value, "max": most}
    if value <= most:
        return GraderResult(1.0, True, f"{value:g} {unit}, at most {most:g} allowed", details)
    score = max(0.0, 1 - (value - most) / max(most, 1))
    said = f"{value:g} {unit}, only {most:g} allowed"
    return GraderResult(score, False, said, details, parts=(FailedCheck(("max",), said),))


class CountBudget(VallyGrader):
    """At most so many of something."""

    cost_profile = "free"
    measured: ClassVar[Measure]
    unit: ClassVar[str]

    max: Integer = Field(ge=0, description="The most that is allowed.", examples=[20])

    def grade(self, context: GradingContext) -> GraderResult:
        return within_budget(type(self).measured(context), self.max, self.unit)
