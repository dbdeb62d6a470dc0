"""Limits the duration of the trial.

## What it looks at
The wall time of the trial.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 60s`, 90 seconds
score 0.5.

## Example
```yaml
type: wall-time
config:
  max: 120s
```

## Watch out
- A bare number is an error: add a unit, `ms`, `s`, `m` or `h`.
- With `turn`, the recording must contain the times of its events.
- If the recording has no duration, the check cannot be decided: it counts as failed, with status `error`.
"""

from pydantic import Field

from waza_engine.dialects.vally.fields import Duration, milliseconds
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.budget import within_budget
from waza_engine.dialects.vally.trajectory.metrics import wall_time_ms
from waza_engine.graders.base import GraderResult, GradingContext


class WallTimeGrader(VallyGrader):
    type_name = "wall-time"
    cost_profile = "free"

    max: Duration = Field(description="Longest allowed time with a unit.", examples=["120s"])

    def grade(self, context: GradingContext) -> GraderResult:
        return within_budget(wall_time_ms(context), milliseconds(self.max) or 0, "ms")
