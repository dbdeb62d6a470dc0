"""Checks that an agent message contains a string.

## What it looks at
All messages of the agent, not only the last one, each on its own.

## Score
1 if one of the messages contains the string, otherwise 0.

## Example
```yaml
type: transcript-contains
config:
  substring: running the tests
```

## Watch out
- Case-insensitive unless `case_sensitive` is true.
- Tool output is ignored.
"""

from waza_engine.dialects.vally.graders._shared.output import OutputContains
from waza_engine.dialects.vally.trajectory.metrics import TranscriptCheck


class TranscriptContainsGrader(TranscriptCheck, OutputContains):
    type_name = "transcript-contains"
