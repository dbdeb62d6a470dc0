r"""A pattern that must not be found in the output.

## What it looks at
The agent's last message that is not empty, not the whole conversation. The pattern is JavaScript's, found anywhere.

## Score
1 when the pattern is not found, otherwise 0.

## Example
```yaml
type: output-not-matches
config:
  pattern: '(?im)^(error|traceback)\b'
```

## Watch out
- An agent that says nothing passes: pair it with a check of what must be there.
- `(?i)`, `(?m)`, `(?s)` and their combinations are read at the very start only.
- A pattern with `\A`, `\Z` or `\p{L}` never matches as it was meant, so this check always passes.
"""

from typing import ClassVar

from waza_engine.dialects.vally.graders._shared.output import OutputMatches


class OutputNotMatchesGrader(OutputMatches):
    type_name = "output-not-matches"
    negated_by_type: ClassVar[bool] = True
