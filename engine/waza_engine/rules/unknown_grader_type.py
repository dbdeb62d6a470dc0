"""A grader type that does not exist.

## Why
waza loads the file anyway. It fails when it creates the grader, after the agent has run.

## Example
```yaml
type: contains
name: says-hello
config:
  contains: [hello]
```

## Instead
```yaml
type: text
name: says-hello
config:
  contains: [hello]
```
"""

from waza_engine.model.findings import Rule

UNKNOWN_GRADER_TYPE = Rule("unknown-grader-type", "grader type that does not exist", fixable=True)
