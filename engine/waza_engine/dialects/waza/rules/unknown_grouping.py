"""A grouping that waza does not know.

## Why
Only `group_by: model` works. For any other value, waza prints a warning and does not group the results.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  group_by: tags
tasks: ["tasks/*.yaml"]
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
  group_by: model
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

UNKNOWN_GROUPING = Rule("unknown-grouping", "grouping that waza does not know", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    place, value = ("config", "group_by"), document.text("config", "group_by")
    if value and value != "model":
        fix = Fix("Change to 'model'", (SetValue(place, "model"),))
        message = f"waza cannot group by '{value}', only by 'model'. The results will not be grouped"
        yield UNKNOWN_GROUPING.at(place, message, fixes=[fix])
