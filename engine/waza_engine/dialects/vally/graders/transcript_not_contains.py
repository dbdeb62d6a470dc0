"""Checks that no agent message contains a string.

## What it looks at
All messages of the agent, not only the last one, each on its own.

## Score
1 if none of the messages contains the string, otherwise 0.

## Example
```yaml
type: transcript-not-contains
config:
  substring: let me skip the tests
```

## Watch out
- Without any message of the agent, the check fails.
- Tool output is ignored.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputContains
from waza_engine.dialects.vally.trajectory.metrics import TranscriptCheck


class TranscriptNotContainsGrader(TranscriptCheck, OutputContains):
    type_name = "transcript-not-contains"
    negated_by_type: ClassVar[bool] = True
