r"""Checks that the agent's messages match a pattern.

## What it looks at
All messages of the agent, not only the last one, each on its own.

## Score
1 if the pattern is found in one of the messages, otherwise 0.

## Example
```yaml
type: transcript-matches
config:
  pattern: '(?i)\b(run|ran|running) the tests\b'
```

## Watch out
- JavaScript pattern: `^` and `$` match at the start and end of a message, or of each line with a leading `(?m)`.
- Tool output is ignored.
"""

from waza_engine.dialects.vally.graders._shared.output import OutputMatches
from waza_engine.dialects.vally.trajectory.metrics import TranscriptCheck


class TranscriptMatchesGrader(TranscriptCheck, OutputMatches):
    type_name = "transcript-matches"
