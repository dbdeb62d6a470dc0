r"""Checks that the agent's changes match a pattern or contain a string.

## What it looks at
The unified diff between the workspace before and after the run, including headers: `(?m)^\+\+\+ b/src/app\.py` checks
that a file was changed.

## Score
1 if the diff matches `pattern` or contains `value`, otherwise 0.

## Example
```yaml
type: diff-contains
config:
  pattern: '(?m)^\+.*retries = 3'
```

## Watch out
- If the recording lacks the workspace's state before the run, the result is an error, not a verdict.
- With `turn`, a conversation of several turns cannot be decided: recordings have one diff for all turns.
"""

from waza_engine.dialects.vally.graders._shared.diff import DiffContains


class DiffContainsGrader(DiffContains):
    type_name = "diff-contains"
