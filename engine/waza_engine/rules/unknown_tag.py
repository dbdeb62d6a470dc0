"""A tag that YAML does not have.

## Why
A tag sets the type of a value: `!!str 1` is a string. Custom tags have no meaning in these files: tools ignore them or
refuse the file.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: !env MODEL
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule, Severity

UNKNOWN_TAG = Rule("unknown-tag", "tag that YAML does not have", Severity.WARNING)
