"""A text that the agent must never say.

## What it looks at
All messages of the agent, not only the last one: each begins on a line of its own.

## Score
1 when the text is in none of the messages, otherwise 0.

## Example
```yaml
type: transcript-not-contains
config:
  substring: let me skip the tests
```

## Watch out
- An agent that says nothing passes.
- What tools print is not looked at.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputContains
from waza_engine.dialects.vally.trajectory.metrics import OfTranscript


class TranscriptNotContainsGrader(OfTranscript, OutputContains):
    type_name = "transcript-not-contains"
    negated_by_type: ClassVar[bool] = True
