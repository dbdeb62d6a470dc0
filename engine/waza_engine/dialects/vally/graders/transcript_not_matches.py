r"""Checks that the agent's messages do not match a pattern.

## What it looks at
All messages of the agent, not only the last one, each on its own.

## Score
1 if the pattern is found in none of the messages, otherwise 0.

## Example
```yaml
type: transcript-not-matches
config:
  pattern: '(?i)\bskip(ping)? the tests\b'
```

## Watch out
- Without any message of the agent, the check fails.
- Tool output is ignored.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputMatches
from waza_engine.dialects.vally.trajectory.metrics import TranscriptCheck


class TranscriptNotMatchesGrader(TranscriptCheck, OutputMatches):
    type_name = "transcript-not-matches"
    negated_by_type: ClassVar[bool] = True
