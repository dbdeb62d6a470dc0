r"""A pattern that waza's regular expression engine (RE2) cannot parse.

## Why
waza notices only after the agent has run. Depending on the grader, an invalid pattern counts as a failed check, even in
a list of forbidden patterns, or stops the whole run with an error.

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

INVALID_REGEX = Rule("invalid-regex", "pattern that RE2 cannot parse")
