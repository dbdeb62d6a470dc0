"""A limit for the time that the trial took.

## What it looks at
The wall time of the trial.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 60s`, 90 seconds give 0.5.

## Example
```yaml
type: wall-time
config:
  max: 120s
```

## Watch out
- A bare number is refused: write the unit, `ms`, `s`, `m` or `h`.
- For a single `turn` the recording must have the times of its events.
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

    max: Duration = Field(description="The longest time that is allowed, with a unit.", examples=["120s"])

    def grade(self, context: GradingContext) -> GraderResult:
        return within_budget(wall_time_ms(context), milliseconds(self.max) or 0, "ms")
