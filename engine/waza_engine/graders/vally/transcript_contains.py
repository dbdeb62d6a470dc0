"""A text that the agent must say at some point.

## What it looks at
All messages of the agent, not only the last one: each begins on a line of its own.

## Score
1 when the text is in one of the messages, otherwise 0.

## Example
```yaml
type: transcript-contains
config:
  substring: running the tests
```

## Watch out
- Upper and lower case are the same unless `case_sensitive` says otherwise.
- What tools print is not looked at.
"""

from typing import ClassVar

from waza_engine.graders.base import GradingContext
from waza_engine.vally.output_text import OutputContains
from waza_engine.vally.transcript_text import transcript_of


class TranscriptContainsGrader(OutputContains):
    type_name = "transcript-contains"
    said_in: ClassVar[str] = "transcript"

    @classmethod
    def text_of(cls, context: GradingContext) -> str:
        return transcript_of(context)
