"""A single check whose outcome does not depend on what the agent did.

## Why
The check counts in the score like any other, so it shifts the score without saying anything. An empty text, for
instance, is contained in every output, even in an empty one, and the pattern `.*` is found in every text.

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
