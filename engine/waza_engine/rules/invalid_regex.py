r"""A pattern that waza's regular expressions (RE2) cannot read.

## Why
waza finds out when the agent has already run. A pattern that is not valid counts as a failed check, in lists of
forbidden patterns too, or ends the whole run with an error, depending on the grader.

## Example
```yaml
type: text
name: greets
config:
  regex_match: ['(?=hello)']
```

## Instead
```yaml
type: text
name: greets
config:
  regex_match: ['(?i)\bhello\b']
```
"""

from waza_engine.model.findings import Rule

INVALID_REGEX = Rule("invalid-regex", "pattern that RE2 cannot read")
