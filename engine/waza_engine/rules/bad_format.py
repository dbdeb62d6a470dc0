"""A text that is not written the way its key wants it.

## Why
waza refuses the file or reads something else than you meant.

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

BAD_FORMAT = Rule("bad-format", "text that is not written as its key wants it")
