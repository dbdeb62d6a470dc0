"""The agent came to its end with an answer and without an error.

## What it looks at
The agent's last message, the `error` events, and the ends of its turns.

## Score
1 when there is an answer, no error, and at least one turn has ended; otherwise 0. The evidence says which of the three
is missing.

## Example
```yaml
type: completed
```

## Watch out
- An executor that stops the agent early never passes.
- A recording without any marks of turns counts as one turn that has ended, unless the agent reported an error.
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.js_text import trim
from waza_engine.dialects.vally.trajectory.events import of_type, spoken_events_of
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext


class CompletedGrader(VallyGrader):
    type_name = "completed"
    cost_profile = "free"

    def grade(self, context: GradingContext) -> GraderResult:
        reasons = list(_reasons(context))
        if not reasons:
            return GraderResult(1.0, True, "The agent answered and came to its end")
        return GraderResult.failed("; ".join(reasons), parts=tuple(FailedCheck((), it) for it in reasons))


def _reasons(context: GradingContext) -> Iterator[str]:
    events = spoken_events_of(context)
    if not trim(context.output):
        yield "The output is empty"
    if errors := of_type(events, "error"):
        yield f"There were errors: {'; '.join(str(it.get('message') or 'no message') for it in errors)}"
    if not of_type(events, "turn_end"):
        yield "No turn came to its end"
