"""Limits the number of tool calls.

## What it looks at
All tool calls of the trial, or only calls of `tools`.

## Score
1 up to `max`. Above it, the check fails and the score falls linearly to 0 at twice `max`: with `max: 20`, a value of 30
scores 0.5. With `max: 0`, any value above 0 scores 0.

## Example
```yaml
type: tool-call-count
config:
  max: 20
```

## Watch out
- An agent that does nothing stays within every limit.
- If the recording has no events, the check cannot be decided: it counts as failed, with status `error`.
"""

from collections.abc import Sequence
from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.budget import ToolBudget
from waza_engine.dialects.vally.trajectory.calls import known_calls
from waza_engine.dialects.vally.trajectory.metrics import has_events, tool_call_count
from waza_engine.graders.base import DraftedGrader, GradingContext


class ToolCallCountGrader(ToolBudget):
    type_name = "tool-call-count"
    unit: ClassVar = "tool calls"

    def metric(self, context: GradingContext) -> float | None:
        if self.tools is None:
            return tool_call_count(context)
        if not has_events(context):
            return None
        return sum(self.counts(it) for it in known_calls(context))

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        most = max((len(it.session.tools_used) for it in trials if it.session is not None), default=0)
        if not most:
            return None
        # 50 % headroom: another run of the same agent takes different steps.
        limit = most + max(2, most // 2)
        return DraftedGrader(
            "stays-efficient", f"at most {limit} tool calls ({most} recorded)", cls(max=limit)
        )
