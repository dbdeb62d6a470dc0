"""Limits the number of errors.

## What it looks at
The `error` events of the trial. A failing tool is not an `error` event.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 2`, a value of 3
scores 0.5. With `max: 0`, any value above 0 scores 0.

## Example
```yaml
type: error-count
config:
  max: 2
```

## Watch out
- `max: 0` allows no errors.
- If the recording has no events, the check cannot be decided: it counts as failed, with status `error`.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import CountBudget
from waza_engine.dialects.vally.trajectory.metrics import error_count


class ErrorCountGrader(CountBudget):
    type_name = "error-count"
    metric: ClassVar = error_count
    unit: ClassVar = "errors"
