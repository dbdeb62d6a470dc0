r"""A pattern that must be found in what the agent says at some point.

## What it looks at
All messages of the agent, not only the last one: each begins on a line of its own.

## Score
1 when the pattern is found in the messages, otherwise 0.

## Example
```yaml
type: transcript-matches
config:
  pattern: '(?i)\b(run|ran|running) the tests\b'
```

## Watch out
- The pattern is JavaScript's; `^` and `$` are the ends of all messages together, with a leading `(?m)` those of a line.
- What tools print is not looked at.
"""

from waza_engine.dialects.vally.graders._shared.output import OutputMatches
from waza_engine.dialects.vally.trajectory.metrics import OfTranscript


class TranscriptMatchesGrader(OfTranscript, OutputMatches):
    type_name = "transcript-matches"
