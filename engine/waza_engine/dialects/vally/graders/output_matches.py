r"""Checks that the output matches a pattern.

## What it looks at
The agent's last non-empty message, not the whole conversation. The JavaScript pattern may match anywhere in it.

## Score
1 if the pattern is found, otherwise 0.

## Example
```yaml
type: output-matches
config:
  pattern: '(?i)\b(deployed|published) to\b'
```

## Watch out
- Inline flags such as `(?i)`, `(?m)`, `(?s)` or `(?im)` work only at the start of the pattern.
- `$` without `(?m)` matches only at the end of the output, not before a trailing line break.
- `\d`, `\w` and `\b` are ASCII-only; `\A`, `\Z`, `\z` and `\p{L}` match plain letters.
- If a look-around or back-reference takes longer than 5 seconds, the result is an error, not a verdict.
"""

from waza_engine.dialects.vally.graders._shared.output import OutputMatches


class OutputMatchesGrader(OutputMatches):
    type_name = "output-matches"
