"""A grader that passes whatever the agent does.

## Why
The grader looks like a check and counts in the score, but proves nothing: a broken skill passes, too.

## Example
```yaml
type: text
name: says-something
config: {}
```

## Instead
```yaml
type: text
name: says-something
config:
  contains: [deployed to]
```
"""

from waza_engine.model.findings import Rule, Severity

CANNOT_FAIL = Rule("cannot-fail", "grader that always passes", Severity.WARNING)
