"""A file with nothing in it.

## Why
waza refuses a file that is empty or holds only comments. A task file is read even when it is disabled or filtered out.

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

EMPTY_FILE = Rule("empty-file", "file with nothing in it", Severity.INFORMATION)
