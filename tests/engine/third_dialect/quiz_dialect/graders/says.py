"""Words that the answer must contain.

## What it looks at
The agent's final output.

## Score
The share of the words that occur.

## Example
```yaml
type: says
config:
  words: [Paris]
```
"""

from pydantic import Field

from waza_engine.graders.base import FailedCheck, Grader, GraderResult, GradingContext
from waza_engine.model.fields import Strings


class SaysGrader(Grader):
    type_name = "says"

    words: Strings = Field(description="Words that must occur.", examples=[["Paris"]], min_length=1)

    def grade(self, context: GradingContext) -> GraderResult:
        missing = [
            FailedCheck(("words", index), f"missing: {it}")
            for index, it in enumerate(self.words)
            if it not in context.output
        ]
        return GraderResult.of_checks(len(self.words), missing)
