r"""Checks that the output does not match a pattern.

## What it looks at
The agent's last non-empty message, not the whole conversation. The JavaScript pattern may match anywhere in it.

## Score
1 if the pattern is not found, otherwise 0.

## Example
```yaml
type: output-not-matches
config:
  pattern: '(?im)^(error|traceback)\b'
```

## Watch out
- An agent that says nothing passes: pair this check with one for expected content.
- Inline flags such as `(?i)`, `(?m)`, `(?s)` or `(?im)` work only at the start of the pattern.
- In JavaScript, `\A`, `\Z` and `\p{L}` match plain letters: with such a pattern this check usually passes.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputMatches


class OutputNotMatchesGrader(OutputMatches):
    type_name = "output-not-matches"
    negated_by_type: ClassVar[bool] = True
