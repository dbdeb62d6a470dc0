"""A file that matches a task glob but is not a task.

## Why
Before it runs anything, waza loads every file that the globs match, including disabled and filtered tasks. One file
that is not a task prevents the whole suite from running.

## Example
`tasks/notes.yaml` contains a list:

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

```yaml file=tasks/notes.yaml
- just
- notes
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
tasks: ["tasks/*.task.yaml"]
```

```yaml file=tasks/first.task.yaml
id: first
name: First
inputs:
  prompt: Say hello.
```

```yaml file=tasks/notes.yaml
- just
- notes
```
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.model.findings import Finding, Related, Rule
from waza_engine.project.document import Document
from waza_engine.project.suite_files import TaskOfSuite
from waza_engine.recognition.recognise import recognise

UNLOADABLE_TASK = Rule("unloadable-task", "file that matches a task glob but is not a task")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is None or document.has("tasks_from"):
        return
    for task in suite.tasks:
        if reason := _reason(document, task):
            yield UNLOADABLE_TASK.at(
                ("tasks", task.globs[0]),
                f"{task.path.name} {reason}, so the run cannot start. Disabled tasks must load, too",
                related=[Related((), "this file", task.path)],
            )


def _reason(document: Document, task: TaskOfSuite) -> str:
    """Return why the whole file cannot be loaded; empty for problems inside a task, which it reports itself."""
    if document.files.is_directory(task.path):
        return ""
    text = document.files.text(task.path)
    if text is None:
        return "cannot be read as UTF-8 text"
    data = document.files.data(task.path)
    if isinstance(data, list):
        return "contains a list, not a task"
    if isinstance(data, dict):
        return _other_kind(data, task.path)
    if data is not None:
        return "contains text, not a task"
    lines = [it.strip() for it in text.splitlines() if it.strip() and not it.lstrip().startswith("#")]
    if all(it == "---" for it in lines):
        return "" if lines else "is empty"
    return "is not valid YAML"


def _other_kind(data: Mapping[str, Any], path: Path) -> str:
    recognised = recognise(data, path)
    if recognised is None:
        return ""
    if recognised[1].name == "triggers":
        return "contains trigger tests, not a task"
    return (
        "contains an eval, not a task"
        if recognised[1].name == "eval" and {"tasks", "tasks_from"} & set(data)
        else ""
    )
