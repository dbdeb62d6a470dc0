"""A limit for the number of the agent's steps.

## What it looks at
The steps of the agent: each of its messages with the calls that come from it is one. With `tools` only the steps with a
call of one of them count.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 10`, 1.5 times as much gives 0.5. With `max: 0` anything above 0 gives 0.

## Example
```yaml
type: step-count
config:
  max: 10
```

## Watch out
- vally has this type since about 0.15; what it counts as a step is not documented, and ours here.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import ToolBudget
from waza_engine.dialects.vally.trajectory.calls import known_calls, step_count
from waza_engine.graders.base import GradingContext


class StepCountGrader(ToolBudget):
    type_name = "step-count"
    since = "0.15"
    unit: ClassVar = "steps"

    def measured(self, context: GradingContext) -> float:
        if not self.tools:
            return step_count(context)
        return len({it.step for it in known_calls(context) if self.counts(it)})
