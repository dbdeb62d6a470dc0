"""A second YAML document in the file.

## Why
waza reads the first document and silently ignores everything after the second `---`.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
---
graders: []
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
graders: []
```
"""

from waza_engine.model.findings import Rule, Severity

SECOND_DOCUMENT = Rule("second-document", "second YAML document in the file", Severity.WARNING)
