"""A form that older versions of waza, or its documentation, had.

## Why
It is understood here and still means what it meant. Newer versions of waza do not know it: they refuse the file, or
fail when the agent has already run.

## Example
```yaml
type: keyword
name: greets
config:
  must_contain: [hello]
```

## Instead
```yaml
type: text
name: greets
config:
  contains: [hello]
```
"""

from waza_engine.findings import Rule, Severity

LEGACY_SHAPE = Rule(
    "legacy-shape", "form of an older version", Severity.INFORMATION, frozenset(["deprecated"])
)
