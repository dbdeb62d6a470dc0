"""Limits the number of agent turns.

## What it looks at
The turns of the agent as counted in the recording: one turn per model response.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 10`, a value of 15
scores 0.5. With `max: 0`, any value above 0 scores 0.

## Example
```yaml
type: turn-count
config:
  max: 10
```

## Watch out
- Not related to the `turns` of a stimulus, which are prompts.
- If the recording has no events, the check cannot be decided: it counts as failed, with status `error`.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import turn_count


class TurnCountGrader(CountBudget):
    type_name = "turn-count"
    metric: ClassVar = turn_count
    unit: ClassVar = "turns"
