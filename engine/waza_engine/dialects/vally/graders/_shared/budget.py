"""The budget graders: a measure of the trial must not exceed `max` (docs/reference/vally.md, section 7.4)."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Integer, Texts
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.dialects.vally.trajectory.calls import Call
from waza_engine.dialects.vally.trajectory.metrics import measured
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.model.findings import Finding

Measure = Callable[[GradingContext], float | None]


def within_budget(value: float | None, most: float, unit: str) -> GraderResult:
    """1 up to `most`, then falling in a straight line to 0 at twice as much."""
    if value is None:
        return GraderResult.undecided(f"Cannot tell: the recording has no {unit}")
    details = {"value": value, "max": most}
    if value <= most:
        return GraderResult(1.0, True, f"{measured(value)} {unit}, at most {measured(most)} allowed", details)
    score = max(0.0, 1 - (value - most) / max(most, 1))
    said = f"{measured(value)} {unit}, only {measured(most)} allowed"
    return GraderResult(score, False, said, details, parts=(FailedCheck(("max",), said),))


class ToolBudget(VallyGrader):
    """At most so many calls, or steps with calls; only those of certain tools if `tools` says so."""

    cost_profile = "free"
    unit: ClassVar[str]

    max: Integer = Field(ge=0, description="The most that is allowed.", examples=[20])
    tools: Texts = Field(
        default=[],
        description="JavaScript patterns for names of tools: only their calls are counted. Left out, all are.",
        examples=[["^bash$", "edit"]],
        json_schema_extra={"items": {"type": "string", **pattern_marks(since="0.15")}},
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        for index, pattern in enumerate(self.tools):
            yield from pattern_refusals(pattern, ("tools", index))

    def check(self, scope: Scope) -> Iterator[Finding]:
        for index, pattern in enumerate(self.tools):
            yield from pattern_findings(pattern, ("tools", index))

    def grade(self, context: GradingContext) -> GraderResult:
        try:
            return within_budget(self.measured(context), self.max, self.unit)
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}")

    def measured(self, context: GradingContext) -> float | None:
        """The count."""
        raise NotImplementedError

    def counts(self, call: Call) -> bool:
        """Whether a call is one of those that are counted."""
        return not self.tools or any(js_matches(it, call.name) for it in self.tools)


class CountBudget(VallyGrader):
    """At most so many of something."""

    cost_profile = "free"
    measured: ClassVar[Measure]
    unit: ClassVar[str]

    max: Integer = Field(ge=0, description="The most that is allowed.", examples=[20])

    def grade(self, context: GradingContext) -> GraderResult:
        return within_budget(type(self).measured(context), self.max, self.unit)
