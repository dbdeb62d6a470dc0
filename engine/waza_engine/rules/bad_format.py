"""A value in the wrong format for its key.

## Why
waza refuses the file, or reads a different value from the one you meant.

## Example
```yaml
name: notes-eval
skill: notes
schemaVersion: "one"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
schemaVersion: "1.1"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule

BAD_FORMAT = Rule("bad-format", "value in the wrong format for its key")
