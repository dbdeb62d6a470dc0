"""A blank id or name.

## Why
waza stores and compares results by id, and reports show the name.

## Example
```yaml
id: " "
name: First
inputs:
  prompt: Say hello.
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.names import name_from_file

BLANK_ID = Rule("blank-id", "blank id or name")
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data, _ in document.task_results(_has_blank):
        identity, name = data.get("id"), data.get("name")
        if isinstance(identity, str) and identity and not identity.strip():
            place = (*task, "id")
            yield BLANK_ID.at(
                place, "The id is blank, but waza stores results by it", fixes=_file_name_fix(document, place)
            )
        if isinstance(name, str) and not name.strip():
            yield BLANK_ID.at(
                (*task, "name"), "The name is blank, but reports show it", severity=Severity.WARNING
            )


def _has_blank(_: Document, task: Mapping[str, Any]) -> bool:
    texts = [task.get("id"), task.get("name")]
    return any(isinstance(it, str) and not it.strip() for it in texts)


def _file_name_fix(document: Document, place: Pointer) -> Iterator[Fix]:
    """Name a task after its file, if it has one of its own."""
    name = name_from_file(document.path) if document.kind == "task" else ""
    if name:
        yield Fix(f"Change to '{name}'", (SetValue(place, name),), preferred=True)
