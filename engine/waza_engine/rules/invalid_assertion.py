"""An assertion that is no expression of its language.

## Why
waza evaluates each assertion on its own, after the agent has run; one that does not parse counts as failed.
Python statements (`import re`, `x = 1`) are no expressions either; in JavaScript they are allowed.

## Example
```yaml
type: code
name: short
config:
  assertions: ['len(output) <']
```

## Instead
```yaml
type: code
name: short
config:
  assertions: ['len(output) < 2000']
```
"""

from waza_engine.model.findings import Rule, Severity

INVALID_ASSERTION = Rule(
    "invalid-assertion", "assertion that is no expression of its language", Severity.WARNING
)
