"""A text that the output must not contain.

## What it looks at
The agent's last message that is not empty, not the whole conversation. Upper and lower case are the same unless
`case_sensitive` says otherwise.

## Score
1 when the text is not there, otherwise 0.

## Example
```yaml
type: output-not-contains
config:
  substring: Traceback
  case_sensitive: true
```

## Watch out
- An agent that says nothing passes: pair it with a check of what must be there.
- With `negate: false` the type does the opposite of its name.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputContains


class OutputNotContainsGrader(OutputContains):
    type_name = "output-not-contains"
    negated_by_type: ClassVar[bool] = True
