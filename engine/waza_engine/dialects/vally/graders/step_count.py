"""Limits the number of agent steps.

## What it looks at
The steps of the agent: a step is one agent message with its tool calls. With `tools`, only steps that call one of
these tools count.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 10`, a value of 15
scores 0.5. With `max: 0`, any value above 0 scores 0.

## Example
```yaml
type: step-count
config:
  max: 10
```

## Watch out
- vally has had this type since about 0.15, but does not document what a step is. The definition above is our own.
- If the recording has no events, the check cannot be decided: it counts as failed, with status `error`.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import ToolBudget
from waza_engine.dialects.vally.trajectory.calls import known_calls, step_count
from waza_engine.dialects.vally.trajectory.metrics import has_events
from waza_engine.graders.base import GradingContext


class StepCountGrader(ToolBudget):
    type_name = "step-count"
    unit: ClassVar = "steps"

    def metric(self, context: GradingContext) -> float | None:
        if not has_events(context):
            return None
        if self.tools is None:
            return step_count(context)
        return len({it.step for it in known_calls(context) if self.counts(it)})
