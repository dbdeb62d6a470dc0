"""An assertion that is no Python expression.

## Why
waza evaluates each assertion on its own, after the agent has run; one that does not parse counts as failed.
Statements (`import re`, `x = 1`) are no expressions either.

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

from waza_engine.findings import Rule, Severity

INVALID_ASSERTION = Rule("invalid-assertion", "assertion that is no Python expression", Severity.WARNING)
