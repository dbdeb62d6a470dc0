r"""A pattern that must be found in the output.

## What it looks at
The agent's last message that is not empty, not the whole conversation. The pattern is JavaScript's, found anywhere.

## Score
1 when the pattern is found, otherwise 0.

## Example
```yaml
type: output-matches
config:
  pattern: '(?i)\b(deployed|published) to\b'
```

## Watch out
- `(?i)`, `(?m)`, `(?s)` and their combinations are read at the very start only.
- `$` without `(?m)` is the very end: a line end after the text keeps it from matching.
- `\d`, `\w` and `\b` know ASCII only; `\A`, `\Z`, `\z` and `\p{L}` are plain letters.
- A look-around or a back-reference that takes longer than 5 seconds is no verdict but an error.
"""

from waza_engine.dialects.vally.graders._shared.output import OutputMatches


class OutputMatchesGrader(OutputMatches):
    type_name = "output-matches"
