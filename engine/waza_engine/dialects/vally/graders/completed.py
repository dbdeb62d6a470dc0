"""Checks that the agent finished with an answer and without an error.

## What it looks at
The agent's last message, the `error` events and the `turn_end` events.

## Score
1 if there is an answer, no error and at least one finished turn; otherwise 0. The evidence lists which of the three
conditions failed.

## Example
```yaml
type: completed
```

## Watch out
- If the executor stops the agent early, the check always fails.
- A recording without turn events counts as one finished turn, unless the agent reported an error.
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.js_text import trim
from waza_engine.dialects.vally.trajectory.events import message_events_of, of_type
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext


class CompletedGrader(VallyGrader):
    type_name = "completed"
    cost_profile = "free"

    def grade(self, context: GradingContext) -> GraderResult:
        reasons = list(_reasons(context))
        if not reasons:
            return GraderResult(1.0, True, "The agent finished with an answer")
        return GraderResult.failed("; ".join(reasons), parts=tuple(FailedCheck((), it) for it in reasons))


def _reasons(context: GradingContext) -> Iterator[str]:
    events = message_events_of(context)
    if not trim(context.output):
        yield "The output is empty"
    if errors := of_type(events, "error"):
        yield f"There were errors: {'; '.join(str(it.get('message') or 'no message') for it in errors)}"
    if not of_type(events, "turn_end"):
        yield "No turn was finished"
