r"""Checks that the agent's changes do not match a pattern or contain a string.

## What it looks at
The unified diff between the workspace before and after the run, including headers: `(?m)^\+\+\+ b/tests/` forbids
changes to tests.

## Score
1 if the diff neither matches `pattern` nor contains `value`, otherwise 0.

## Example
```yaml
type: diff-not-contains
config:
  pattern: '(?m)^\+\+\+ b/tests/'
```

## Watch out
- An agent that changes nothing passes.
- If the recording lacks the workspace's state before the run, the result is an error, not a verdict.
- With `turn`, a conversation of several turns cannot be decided: recordings have one diff for all turns.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.diff import DiffContains


class DiffNotContainsGrader(DiffContains):
    type_name = "diff-not-contains"
    negated_by_type: ClassVar[bool] = True
