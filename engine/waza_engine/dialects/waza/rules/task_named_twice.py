"""A task file that two globs match.

## Why
waza loads the file once per glob, so the task runs twice and both results have the same id.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml", "tasks/first.yaml"]
```

```yaml file=tasks/first.yaml
id: first
name: First
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
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document

TASK_NAMED_TWICE = Rule("task-named-twice", "task file that two globs match", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is None or document.has("tasks_from"):
        return
    again: dict[int, list[tuple[str, int]]] = {}
    counts: dict[int, int] = {}
    for task in suite.tasks:
        for glob in task.globs:
            counts[glob] = counts.get(glob, 0) + 1
        for glob in task.globs[1:]:
            again.setdefault(glob, []).append((task.path.name, task.globs[0]))
    for glob, tasks in again.items():
        name, first = tasks[0]
        more = f" and {len(tasks) - 1} more" if len(tasks) > 1 else ""
        fix = Fix("Remove the glob", (RemoveKey(("tasks", glob)),), preferred=True)
        yield TASK_NAMED_TWICE.at(
            ("tasks", glob),
            f"{name}{more} will run twice, because another glob also matches the file",
            fixes=[fix] if counts[glob] == len(tasks) else [],
            related=[(("tasks", first), "the other glob")],
        )
