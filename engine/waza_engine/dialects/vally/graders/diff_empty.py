"""Checks that the agent changed nothing in the workspace.

## What it looks at
The unified diff between the workspace before and after the run.

## Score
1 if the diff is empty, otherwise 0.

## Example
```yaml
type: diff-empty
```

## Watch out
- If the recording lacks the workspace's state before the run, the result is an error, not a verdict.
- With `turn`, a conversation of several turns cannot be decided: recordings have one diff for all turns.
"""

from waza_engine.dialects.vally.graders._shared.diff import NO_BASELINE, DiffGrader, diff_of
from waza_engine.dialects.vally.js_text import trim
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext

_HEADER = "diff --git a/"


class DiffEmptyGrader(DiffGrader):
    type_name = "diff-empty"

    def grade(self, context: GradingContext) -> GraderResult:
        diff = diff_of(context)
        if diff is None:
            return GraderResult.undecided(NO_BASELINE)
        if not trim(diff):
            return GraderResult(1.0, True, "Nothing was changed")
        changed = [
            it[len(_HEADER) :].partition(" b/")[0] for it in diff.splitlines() if it.startswith(_HEADER)
        ]
        feedback = f"Changed: {', '.join(changed) or 'something'}"
        return GraderResult.failed(feedback, {"files": changed}, (FailedCheck((), feedback),))
