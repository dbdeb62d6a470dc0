"""An eval whose tasks are all disabled.

## Why
waza skips tasks with `enabled: false`. If no other task is left, the run has nothing to do and ends with an error.

## Example
`tasks/first.yaml` is the only task, and has `enabled: false`:

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

```yaml file=tasks/first.yaml
id: first
name: First
enabled: false
inputs:
  prompt: Say hello.
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

```yaml file=tasks/first.yaml
id: first
name: First
inputs:
  prompt: Say hello.
expected:
  output_contains: [hello]
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.lib.yaml.scalars import FALSE_WORDS
from waza_engine.model.findings import Finding, Related, Rule
from waza_engine.project.document import Document

NO_ENABLED_TASK = Rule("no-enabled-task", "eval whose tasks are all disabled", needs=frozenset(["tasks"]))
APPLIES = frozenset(["eval"])
_MOST_SHOWN = 5


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is None or document.has("tasks_from") or document.task_values(_is_enabled):
        return
    inline = [it for _, it in document.tasks()]
    all_tasks = [*inline, *(it.data for it in suite.tasks)]
    if all_tasks and not any(_is_enabled(document, it) for it in all_tasks):
        places = [Related(("enabled",), "disabled here", it.path) for it in suite.tasks[:_MOST_SHOWN]]
        message = "All tasks have 'enabled: false', so the run cannot start"
        yield NO_ENABLED_TASK.at(("tasks",), message, on="key", related=places)


def _is_enabled(_: Document, task: Mapping[str, Any]) -> bool:
    value = task.get("enabled")
    return value is not False and not (isinstance(value, str) and value in FALSE_WORDS)
