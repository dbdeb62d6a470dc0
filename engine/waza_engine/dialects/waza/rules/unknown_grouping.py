"""A grouping that waza does not know.

## Why
waza groups results by `model`, and from 0.40.1 on by `tags`. For any other value, waza prints a warning and does not group the results.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  group_by: task_id
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

from waza_engine.lib.spelling import likely_names
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.model.suite import GROUPINGS
from waza_engine.project.document import Document

UNKNOWN_GROUPING = Rule("unknown-grouping", "grouping that waza does not know", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    place, value = ("config", "group_by"), document.text("config", "group_by")
    if value and value not in GROUPINGS:
        names = likely_names(value, GROUPINGS) or GROUPINGS
        fixes = [Fix(f"Change to '{it}'", (SetValue(place, it),)) for it in names]
        known = " and ".join(f"'{it}'" for it in GROUPINGS)
        message = f"waza cannot group by '{value}', only by {known}. The results will not be grouped"
        yield UNKNOWN_GROUPING.at(place, message, fixes=fixes)
