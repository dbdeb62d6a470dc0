"""A check whose outcome does not depend on the agent.

## Why
The check counts in the score like any other, so it shifts the score but proves nothing. For example, every output
contains the empty string, and the pattern `.*` matches every text.

## Example
```yaml
type: text
name: greets
config:
  contains: [hello, '']
```

## Instead
```yaml
type: text
name: greets
config:
  contains: [hello]
```
"""

from waza_engine.model.findings import Rule, Severity

TRIVIAL_CHECK = Rule("trivial-check", "check with a fixed outcome", Severity.WARNING)
