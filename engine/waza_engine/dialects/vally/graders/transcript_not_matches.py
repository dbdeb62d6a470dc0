r"""A pattern that must not be found in anything that the agent says.

## What it looks at
All messages of the agent, not only the last one: each begins on a line of its own.

## Score
1 when the pattern is not found in the messages, otherwise 0.

## Example
```yaml
type: transcript-not-matches
config:
  pattern: '(?i)\bskip(ping)? the tests\b'
```

## Watch out
- An agent that says nothing passes.
- What tools print is not looked at.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputMatches
from waza_engine.dialects.vally.trajectory.metrics import OfTranscript


class TranscriptNotMatchesGrader(OfTranscript, OutputMatches):
    type_name = "transcript-not-matches"
    negated_by_type: ClassVar[bool] = True
