"""A name that two tasks of a suite share.

## Why
Reports show the name, not the id, so you cannot see which of the two tasks failed. Verdicts are not affected, so the
level is information. Only the later task of each pair is reported.

## Example
`tasks/a-first.yaml` has `name: First`, too:

```yaml
id: first
name: First
inputs:
  prompt: Say hello.
```

```yaml file=tasks/a-first.yaml
id: other
name: First
inputs:
  prompt: Say hello.
```

## Instead
```yaml
id: first
name: Hello
inputs:
  prompt: Say hello.
```

```yaml file=tasks/a-first.yaml
id: other
name: First
inputs:
  prompt: Say hello.
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.names import duplicate_texts

DUPLICATE_TASK_NAME = Rule("duplicate-task-name", "name that two tasks share", Severity.INFORMATION)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for pointer, value, others in duplicate_texts(document, "name", only_later=True):
        where = f" in {others[0].path.name}" if others[0].path else ""
        message = f"Another task{where} is also named '{value}', and reports show only the name"
        identity = document.text(*pointer[:-1], "id")
        better = f"{value} ({identity})"
        fixes = [Fix(f"Change to '{better}'", (SetValue(pointer, better),))] if identity else []
        yield DUPLICATE_TASK_NAME.at(pointer, message, related=others, fixes=fixes)
