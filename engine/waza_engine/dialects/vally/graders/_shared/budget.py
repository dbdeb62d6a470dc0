"""Base classes of the budget graders: a metric must not exceed `max` (docs/reference/vally.md, section 7.4)."""

from collections.abc import Callable
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Integer
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.tool_filter import ToolFilter
from waza_engine.dialects.vally.trajectory.metrics import format_metric
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext
from waza_engine.lib.js_regex import TooSlowError

Metric = Callable[[GradingContext], float | None]


def within_budget(value: float | None, most: float, unit: str) -> GraderResult:
    """Return score 1 up to `most`; above it, the score falls linearly to 0 at twice `most`."""
    if value is None:
        missing = "duration" if unit == "ms" else f"number of {unit}"
        return GraderResult.undecided(f"Cannot tell: the recording has no {missing}")
    details = {"value": value, "max": most}
    if value <= most:
        return GraderResult(
            1.0, True, f"{format_metric(value)} {unit}, at most {format_metric(most)} allowed", details
        )
    score = max(0.0, 1 - (value - most) / max(most, 1))
    feedback = f"{format_metric(value)} {unit}, only {format_metric(most)} allowed"
    return GraderResult(score, False, feedback, details, parts=(FailedCheck(("max",), feedback),))


class ToolBudget(ToolFilter):
    """Limits calls, or steps with calls; with `tools`, only those of the named tools."""

    cost_profile = "free"
    unit: ClassVar[str]

    max: Integer = Field(ge=0, description="Largest allowed value.", examples=[20])

    def grade(self, context: GradingContext) -> GraderResult:
        try:
            return within_budget(self.metric(context), self.max, self.unit)
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}")

    def metric(self, context: GradingContext) -> float | None:
        """Return the number of calls or steps."""
        raise NotImplementedError


class CountBudget(VallyGrader):
    """Limits a metric of the trial."""

    cost_profile = "free"
    metric: ClassVar[Metric]
    unit: ClassVar[str]

    max: Integer = Field(ge=0, description="Largest allowed value.", examples=[20])

    def grade(self, context: GradingContext) -> GraderResult:
        return within_budget(type(self).metric(context), self.max, self.unit)
