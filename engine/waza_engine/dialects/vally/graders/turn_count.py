"""A limit for the number of the agent's turns.

## What it looks at
The turns of the agent, as the recording counts them: each answer of the model is one.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 10`, 1.5 times as much gives 0.5. With `max: 0` anything above 0 gives 0.

## Example
```yaml
type: turn-count
config:
  max: 10
```

## Watch out
- These are not the `turns` of a stimulus, which are prompts.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import turn_count


class TurnCountGrader(CountBudget):
    type_name = "turn-count"
    measured: ClassVar = turn_count
    unit: ClassVar = "turns"
