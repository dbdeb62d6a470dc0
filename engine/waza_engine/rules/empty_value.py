"""An empty text or list where something must stand.

## Why
An empty list counts as missing: waza refuses the grader.

## Example
```yaml
type: code
name: is-short
config:
  assertions: []
```

## Instead
```yaml
type: code
name: is-short
config:
  assertions: ["len(output) < 500"]
```
"""

from waza_engine.findings import Rule

EMPTY_VALUE = Rule("empty-value", "empty text or list where something must stand")
