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

from waza_engine.dialects.vally.graders._shared.output import OutputContains
from waza_engine.dialects.vally.trajectory.metrics import OfTranscript


class TranscriptContainsGrader(OfTranscript, OutputContains):
    type_name = "transcript-contains"
