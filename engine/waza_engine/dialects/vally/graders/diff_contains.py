r"""A pattern that must be found in what the agent changed.

## What it looks at
The unified diff between the workspace before the run and after it, headers included: so `(?m)^\+\+\+ b/src/app\.py`
says that a file was changed.

## Score
1 when the pattern is found, otherwise 0.

## Example
```yaml
type: diff-contains
config:
  pattern: '(?m)^\+.*retries = 3'
```

## Watch out
- A recording that does not say what stood in the workspace before is no verdict but an error.
"""

from waza_engine.dialects.vally.graders._shared.diff import DiffContains


class DiffContainsGrader(DiffContains):
    type_name = "diff-contains"
