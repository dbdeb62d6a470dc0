"""Limits the number of tokens the agent uses.

## What it looks at
The input and output tokens of the whole trial. Cached tokens do not count.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 50000`, a value of 75000
scores 0.5. With `max: 0`, any value above 0 scores 0.

## Example
```yaml
type: token-budget
config:
  max: 50000
```

## Watch out
- Next to a judge, an easy check like this can lift a bad trial above `scoring.threshold`: give it a low weight.
- If the recording has no token counts, the check cannot be decided: it counts as failed, with status `error`.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import tokens


class TokenBudgetGrader(CountBudget):
    type_name = "token-budget"
    metric: ClassVar = tokens
    unit: ClassVar = "tokens"
