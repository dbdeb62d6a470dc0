"""A limit for the number of errors.

## What it looks at
The `error` events of the trial. A tool that fails is no such event.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 2`, 1.5 times as much gives 0.5. With `max: 0` anything above 0 gives 0.

## Example
```yaml
type: error-count
config:
  max: 2
```

## Watch out
- `max: 0` allows none.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import error_count


class ErrorCountGrader(CountBudget):
    type_name = "error-count"
    measured: ClassVar = error_count
    unit: ClassVar = "errors"
