"""A limit for the number of tool calls.

## What it looks at
All tool calls of the trial.

## Score
1 up to `max`. Above it the score falls in a straight line to 0 at twice as much, and the check has failed: with
`max: 20`, 1.5 times as much gives 0.5. With `max: 0` anything above 0 gives 0.

## Example
```yaml
type: tool-call-count
config:
  max: 20
```

## Watch out
- An agent that does nothing stays within every limit.
"""

from typing import ClassVar

from waza_engine.vally.budget import CountBudget
from waza_engine.vally.metrics import tool_call_count


class ToolCallCountGrader(CountBudget):
    type_name = "tool-call-count"
    measured: ClassVar = tool_call_count
    unit: ClassVar = "tool calls"
