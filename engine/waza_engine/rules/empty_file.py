"""An empty file.

## Why
waza refuses a file that is empty or contains only comments. It reads a task file even if the task is filtered out.

## Example
```yaml
# Still to be written.
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule, Severity

EMPTY_FILE = Rule("empty-file", "empty file", Severity.INFORMATION)
