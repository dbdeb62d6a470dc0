"""Text that is not valid YAML.

## Why
The file cannot be read reliably. waza stops with an error that often names the wrong line.

## Example
```yaml
name: notes-eval
skill: "notes
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
skill: "notes"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule

SYNTAX_ERROR = Rule("syntax-error", "text that is not valid YAML", fixable=True)
