"""A text that the output must contain.

## What it looks at
The agent's last message that is not empty, not the whole conversation. Upper and lower case are the same unless
`case_sensitive` says otherwise.

## Score
1 when the text is there, otherwise 0.

## Example
```yaml
type: output-contains
config:
  substring: deployed to
```

## Watch out
- An empty text is contained in everything, even in an empty output.
- With `negate: true` the type does the opposite of its name.
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
