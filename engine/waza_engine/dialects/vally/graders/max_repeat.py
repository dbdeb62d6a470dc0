"""Limits how often the agent repeats the same action in a row.

## What it looks at
All tool calls of the trial, or only calls of `tools`. Two calls are the same action by `match`: the same tool with the
same result (`observation`), the same tool (`name`), or the same tool with equal arguments (`name-args`). With
`max_cycle_period`, blocks of several calls count, too: 2 also finds A, B, A, B.

## Score
1 if no action occurs more than `max` times in a row, otherwise 0.

## Example
```yaml
type: max-repeat
config:
  max: 4
  match: name-args
  tools: ['^(bash|powershell)$']
```

## Watch out
- Our reading of vally's page: calls that `tools` does not choose are left out before neighbours are compared, and a call
  without a result equals no other call under `observation`.
- If the recording has calls but no results, `observation` cannot be decided.
"""

from pydantic import Field

from waza_engine.dialects.vally.fields import Integer
from waza_engine.dialects.vally.graders._shared.repeats import Match, RepeatGrader, Repeats, match_field
from waza_engine.graders.base import FailedCheck, GraderResult


class MaxRepeatGrader(RepeatGrader):
    type_name = "max-repeat"

    max: Integer = Field(ge=1, description="Most occurrences of one action in a row.", examples=[4])
    match: Match = match_field("observation")

    def verdict(self, longest: Repeats) -> GraderResult:
        details = {"max": self.max, "repeats": longest.times, "tools": list(longest.tools)}
        if longest.times <= self.max:
            return GraderResult(1.0, True, f"No action occurs more than {self.max} times in a row", details)
        feedback = f"{longest.words}, only {self.max} allowed"
        return GraderResult.failed(feedback, details, (FailedCheck(("max",), feedback),))
