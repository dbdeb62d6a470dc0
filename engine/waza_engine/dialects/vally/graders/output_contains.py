"""Checks that the output contains a string.

## What it looks at
The agent's last non-empty message, not the whole conversation. Case-insensitive unless `case_sensitive` is true.

## Score
1 if the output contains the string, otherwise 0.

## Example
```yaml
type: output-contains
config:
  substring: deployed to
```

## Watch out
- Every output contains the empty string, even an empty output.
- With `negate: true`, the type does the opposite of its name.
"""

from collections.abc import Sequence

from waza_engine.dialects.vally.graders._shared.output import OutputContains
from waza_engine.graders.base import DraftedGrader, GradingContext
from waza_engine.graders.drafts import common_phrases


class OutputContainsGrader(OutputContains):
    type_name = "output-contains"

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        phrases = common_phrases(trials, most=1)
        return (
            DraftedGrader("names-the-essential", phrases[0], cls(substring=phrases[0])) if phrases else None
        )
