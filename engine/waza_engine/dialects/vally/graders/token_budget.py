"""A limit for the tokens that the agent used.

## What it looks at
Input and output tokens of the whole trial together; what came from a cache does not count.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 50000`, 1.5 times as much gives 0.5. With `max: 0` anything above 0 gives 0.

## Example
```yaml
type: token-budget
config:
  max: 50000
```

## Watch out
- A free check beside a judge can lift a failing trial over `scoring.threshold`: give it little weight.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import tokens


class TokenBudgetGrader(CountBudget):
    type_name = "token-budget"
    measured: ClassVar = tokens
    unit: ClassVar = "tokens"
