"""An assertion that is not an expression in its language.

## Why
waza evaluates each assertion separately after the agent has run. An assertion that does not parse counts as failed.
Python statements (`import re`, `x = 1`) are not expressions; in JavaScript, statements are allowed.

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
    "invalid-assertion", "assertion that is not an expression in its language", Severity.WARNING
)
