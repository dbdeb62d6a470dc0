r"""A pattern that must not be found in what the agent changed.

## What it looks at
The unified diff between the workspace before the run and after it, headers included: so `(?m)^\+\+\+ b/tests/`
forbids changes of tests.

## Score
1 when the pattern is not found, otherwise 0.

## Example
```yaml
type: diff-not-contains
config:
  pattern: '(?m)^\+\+\+ b/tests/'
```

## Watch out
- An agent that changes nothing passes.
- A recording that does not say what stood in the workspace before is no verdict but an error.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.diff import DiffContains


class DiffNotContainsGrader(DiffContains):
    type_name = "diff-not-contains"
    negated_by_type: ClassVar[bool] = True
