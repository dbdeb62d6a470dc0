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

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.findings import Fix, InsertKey, Rule, Severity

EMPTY_FILE = Rule("empty-file", "file with nothing in it", Severity.INFORMATION)


def skeletons(schema: Mapping[str, Any]) -> Iterator[Fix]:
    """The keys that a file of this kind begins with, filled in by its schema where it is not said with what."""
    keys = schema.get("x-skeleton") or dict.fromkeys(schema.get("required", ()))
    if keys:
        changes = tuple(InsertKey((), key, value) for key, value in keys.items())
        yield Fix("Write a skeleton", changes, preferred=True)
