"""An id that two tasks of a suite share.

## Why
waza runs both tasks without a warning, but nothing can tell their results apart: baselines, regrading and comparisons
all match tasks by id. Only `waza preflight` refuses such a suite.

## Example
`tasks/other.yaml` has `id: first`, too:

```yaml
id: first
name: First
inputs:
  prompt: Say hello.
```

```yaml file=tasks/other.yaml
id: first
name: Other
inputs:
  prompt: Say hello.
```

## Instead
```yaml
id: hello
name: First
inputs:
  prompt: Say hello.
```

```yaml file=tasks/other.yaml
id: first
name: Other
inputs:
  prompt: Say hello.
```
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.names import duplicate_texts, free_name, name_from_file

DUPLICATE_TASK_ID = Rule("duplicate-task-id", "id that two tasks share", Severity.WARNING)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for pointer, value, others in duplicate_texts(document, "id"):
        where = f" in {others[0].path.name}" if others[0].path else ""
        message = f"Another task{where} has the id '{value}', so their results cannot be told apart"
        fixes = [] if document.kind != "task" else _new_ids(document, pointer, value)
        yield DUPLICATE_TASK_ID.at(pointer, message, related=others, fixes=fixes)


def _new_ids(document: Document, pointer: Pointer, value: str) -> list[Fix]:
    """Change to the name of the file, or to the id with a number."""
    taken = {it.id for it in document.suite.tasks} if document.suite is not None else {value}
    names = [it for it in (name_from_file(document.path), free_name(value, taken)) if it and it not in taken]
    return [
        Fix(f"Change to '{it}'", (SetValue(pointer, it),), preferred=index == 0)
        for index, it in enumerate(dict.fromkeys(names))
    ]
