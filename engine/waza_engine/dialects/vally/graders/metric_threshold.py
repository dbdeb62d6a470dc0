"""A limit for one of the measures of a trial; the five budget types are this one with a fixed measure.

## What it looks at
The measure that `metric` names.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed.

## Example
```yaml
type: metric-threshold
config:
  metric: turn-count
  max: 10
```

## Watch out
- vally names this type, but does not document its options: those here are ours. `turn-count`, `wall-time` and the
  other budget types say the same and are documented.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from waza_engine.analysis.schema.value_keywords import BEYOND_INTEGERS
from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.budget import Measure, within_budget
from waza_engine.dialects.vally.trajectory.metrics import (
    error_count,
    tokens,
    tool_call_count,
    turn_count,
    wall_time_ms,
)
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.schema_marks import marks

_MEASURES: dict[str, tuple[Measure, str]] = {
    "error-count": (error_count, "errors"),
    "token-budget": (tokens, "tokens"),
    "tool-call-count": (tool_call_count, "tool calls"),
    "turn-count": (turn_count, "turns"),
    "wall-time": (wall_time_ms, "ms"),
}


def _limit(value: Any) -> Any:
    plain = value.value if isinstance(value, Scalar) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    is_count = isinstance(plain, int) and not isinstance(plain, bool) and 0 <= plain < BEYOND_INTEGERS
    if is_count or (isinstance(plain, str) and milliseconds(plain) is not None):
        return plain
    raise ValueError("expected a whole number that is not negative, or a duration such as 30s")


class MetricThresholdGrader(VallyGrader):
    type_name = "metric-threshold"
    cost_profile = "free"

    metric: Literal["error-count", "token-budget", "tool-call-count", "turn-count", "wall-time"] = Field(
        description="Which measure.",
        examples=["turn-count"],
        json_schema_extra=marks(
            values={
                "error-count": "Errors.",
                "token-budget": "Input and output tokens.",
                "tool-call-count": "Tool calls.",
                "turn-count": "Turns of the agent.",
                "wall-time": "Time; `max` is a duration.",
            }
        ),
    )
    max: Annotated[
        int | str, BeforeValidator(_limit), WithJsonSchema({"type": ["integer", "string"], "minimum": 0})
    ] = Field(
        description="The most that is allowed: a count, for `wall-time` a duration.", examples=[10, "120s"]
    )

    @field_validator("max")
    @classmethod
    def _fits(cls, most: int | str, info: ValidationInfo) -> int | str:
        metric = info.data.get("metric")
        if metric is not None and isinstance(most, str) is not (metric == "wall-time"):
            wanted = "a duration such as 30s" if metric == "wall-time" else "a whole number"
            raise ValueError(f"'{metric}' needs {wanted}")
        return most

    def grade(self, context: GradingContext) -> GraderResult:
        measure, unit = _MEASURES[self.metric]
        most = self.max if isinstance(self.max, int) else milliseconds(self.max) or 0
        return within_budget(measure(context), most, unit)
