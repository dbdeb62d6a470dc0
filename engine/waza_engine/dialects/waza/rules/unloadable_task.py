"""A file that a task glob names and that is no task.

## Why
waza loads every file that the globs name before it runs anything, also the tasks that are disabled or filtered out.
One file that is no task keeps the whole suite from running.

## Example
With a list in `tasks/notes.yaml`:

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

UNLOADABLE_TASK = Rule("unloadable-task", "file that a glob names and that is no task")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is None or document.has("tasks_from"):
        return
    for task in suite.tasks:
        if reason := _reason(document, task):
            yield UNLOADABLE_TASK.at(
                ("tasks", task.globs[0]),
                f"{task.path.name} {reason}, so no run can start; disabled tasks must load, too",
                related=[Related((), "this file", task.path)],
            )


def _reason(document: Document, task: TaskOfSuite) -> str:
    """Why the file cannot be loaded as a whole; what is wrong inside a task, its own findings say."""
    if document.files.is_directory(task.path):
        return ""
    text = document.files.text(task.path)
    if text is None:
        return "cannot be read as UTF-8 text"
    data = document.files.data(task.path)
    if isinstance(data, list):
        return "holds a list, not a task"
    if isinstance(data, dict):
        return _other_kind(data, task.path)
    if data is not None:
        return "holds a text, not a task"
    lines = [it.strip() for it in text.splitlines() if it.strip() and not it.lstrip().startswith("#")]
    if all(it == "---" for it in lines):
        return "" if lines else "is empty"
    return "is not valid YAML"


def _other_kind(data: Mapping[str, Any], path: Path) -> str:
    found = recognise(data, path)
    if found is None:
        return ""
    if found[1].name == "triggers":
        return "is no task but a file of trigger tests"
    return "is no task but an eval" if found[1].name == "eval" and {"tasks", "tasks_from"} & set(data) else ""
