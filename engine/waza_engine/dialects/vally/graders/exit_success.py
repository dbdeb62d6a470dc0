"""Checks that the agent produced output.

## What it looks at
The agent's last message.

## Score
1 if there is a message with more than white space, otherwise 0.

## Example
```yaml
type: exit-success
```

## Watch out
- Ignores errors; use `completed` to check for them as well. This type exists for older specs.
"""

from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.js_text import trim
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext


class ExitSuccessGrader(VallyGrader):
    type_name = "exit-success"
    cost_profile = "free"

    def grade(self, context: GradingContext) -> GraderResult:
        if trim(context.output):
            return GraderResult(1.0, True, "There is output")
        return GraderResult.failed("The output is empty", parts=(FailedCheck((), "The output is empty"),))
