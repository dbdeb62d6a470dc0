"""Checks that the output does not contain a string.

## What it looks at
The agent's last non-empty message, not the whole conversation. Case-insensitive unless `case_sensitive` is true.

## Score
1 if the output does not contain the string, otherwise 0.

## Example
```yaml
type: output-not-contains
config:
  substring: Traceback
  case_sensitive: true
```

## Watch out
- An agent that says nothing passes: pair this check with one for expected content.
- With `negate: false`, the type does the opposite of its name.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputContains


class OutputNotContainsGrader(OutputContains):
    type_name = "output-not-contains"
    negated_by_type: ClassVar[bool] = True
