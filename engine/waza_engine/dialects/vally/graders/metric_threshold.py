"""Limits one metric of a trial. Five budget types do the same for a fixed metric.

## What it looks at
The metric that `metric` names.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`.

## Example
```yaml
type: metric-threshold
config:
  metric: turn-count
  max: 10
```

## Watch out
- vally names this type but does not document its options, so the options below are our own. Prefer the documented
  types `error-count`, `token-budget`, `tool-call-count`, `turn-count` and `wall-time`.
- If the recording lacks the metric, the check cannot be decided: it counts as failed, with status `error`.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from waza_engine.analysis.schema.value_keywords import BEYOND_INTEGERS
from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.budget import Metric, within_budget
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

_METRICS: dict[str, tuple[Metric, str]] = {
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
    raise ValueError("expected a non-negative whole number, or a duration such as 30s")


class MetricThresholdGrader(VallyGrader):
    type_name = "metric-threshold"
    cost_profile = "free"

    metric: Literal["error-count", "token-budget", "tool-call-count", "turn-count", "wall-time"] = Field(
        description="Metric to limit.",
        examples=["turn-count"],
        json_schema_extra=marks(
            values={
                "error-count": "Errors.",
                "token-budget": "Input and output tokens.",
                "tool-call-count": "Tool calls.",
                "turn-count": "Agent turns.",
                "wall-time": "Wall time; `max` is a duration.",
            }
        ),
    )
    max: Annotated[
        int | str, BeforeValidator(_limit), WithJsonSchema({"type": ["integer", "string"], "minimum": 0})
    ] = Field(
        description="Largest allowed value: a count, or a duration for `wall-time`.", examples=[10, "120s"]
    )

    @field_validator("max")
    @classmethod
    def _check_unit(cls, most: int | str, info: ValidationInfo) -> int | str:
        metric = info.data.get("metric")
        if metric is not None and isinstance(most, str) is not (metric == "wall-time"):
            wanted = "a duration such as 30s" if metric == "wall-time" else "a whole number"
            raise ValueError(f"'{metric}' needs {wanted}")
        return most

    def grade(self, context: GradingContext) -> GraderResult:
        metric, unit = _METRICS[self.metric]
        most = self.max if isinstance(self.max, int) else milliseconds(self.max) or 0
        return within_budget(metric(context), most, unit)
