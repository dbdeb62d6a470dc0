"""A task that nothing checks.

## Why
If neither the eval nor the task has graders, and `expected` has no `output_...` list, the task always passes with
score 0. waza never checks `expected.behavior` and similar keys.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
expected:
  output_contains: [hello]
```

```yaml file=eval.yaml
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

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.model.suite import EXPECTED_TEXTS
from waza_engine.project.document import Document

UNCHECKED_TASK = Rule(
    "unchecked-task",
    "task that nothing checks",
    Severity.WARNING,
    needs=frozenset(["graders", "expected", "checkpoints", HERE]),
)
APPLIES = frozenset(["task", "eval"])
_CHECKED_KEYS = (*EXPECTED_TEXTS, "graders")
_PLACEHOLDER = ["the words to look for"]


def check(document: Document) -> Iterator[Finding]:
    graders = document.value("graders") if document.kind == "eval" else None
    if document.kind == "task":
        if document.suite is None or not isinstance(document.data, Mapping):
            return
        graders = document.suite.eval.get("graders")
    if graders:
        return
    if document.kind == "eval" and document.has("tasks_from"):
        message = f"Nothing checks the tasks of '{document.text('tasks_from')}', so they always pass. Add graders to the eval"
        yield UNCHECKED_TASK.at(("tasks_from",), message)
        return
    for pointer, task, _ in document.task_results(_is_unchecked):
        message = "Nothing checks this task, so it always passes with score 0. Add graders"
        yield UNCHECKED_TASK.at(_place(pointer, task), message, on="key", fixes=_expectation(pointer, task))


def _expectation(pointer: Pointer, task: Mapping[str, Any]) -> Iterator[Fix]:
    """Add the shortest check: words that the output must contain."""
    title = "Add words that the output must contain"
    expected = task.get("expected")
    if expected is None and "expected" not in task:
        yield Fix(title, (InsertKey(pointer, "expected", {"output_contains": _PLACEHOLDER}),))
    elif isinstance(expected, Mapping) and "output_contains" not in expected:
        yield Fix(title, (InsertKey((*pointer, "expected"), "output_contains", _PLACEHOLDER),))


def _is_unchecked(_: Document, task: Mapping[str, Any]) -> bool:
    expected = task.get("expected")
    is_checked = isinstance(expected, Mapping) and any(expected.get(it) for it in _CHECKED_KEYS)
    return not (is_checked or task.get("graders") or task.get("checkpoints"))


def _place(pointer: Pointer, task: Mapping[str, Any]) -> Pointer:
    key = next((it for it in ("graders", "expected", "id", "name") if it in task), None)
    return (*pointer, key) if key is not None else pointer
