"""An empty list item.

## Why
waza silently skips the item: it checks, measures and copies nothing for it. Typical cases are a leftover dash, and an
entry whose lines are not indented below it. vally does not skip items in the lists of a grader: the run cannot start.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
graders:
  - type: text
    name: says-hello
    config:
      contains: [hello]
  -
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
graders:
  - type: text
    name: says-hello
    config:
      contains: [hello]
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.items import Items
from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import dialect

EMPTY_ITEM = Rule("empty-item", "empty list item", Severity.WARNING)
APPLIES = frozenset(["eval", "task"])

_EVAL_LISTS = ("graders", "metrics", "tasks", "stimuli")
_REQUIRED_LISTS = frozenset(["tasks", "stimuli", "turns"])
_TASK_LISTS = (("graders",), ("checkpoints",), ("requirements",), ("turns",), ("inputs", "files"))


def check(document: Document) -> Iterator[Finding]:
    for key in _EVAL_LISTS if document.kind == "eval" else ():
        yield from _skipped_items(document, key)
    for task, _, found in document.task_results(_in_task):
        yield from (it.below(task) for it in found)


def _in_task(document: Document, task: Mapping[str, Any]) -> list[Finding]:
    entry = document.entry(task)
    places: list[Pointer] = [*_TASK_LISTS]
    places += [(*checkpoint, "graders") for checkpoint, _ in entry.mappings("checkpoints")]
    return [it for place in places for it in _skipped_items(entry, *place)]


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    # Imported late: the rule's constant is used where pydantic must not be loaded.
    from waza_engine.graders.registry import current_grader

    # In waza's outdated graders a null is an item (docs/reference/waza-graders.md, section 13.14). Other types are unknown.
    kind = current_grader(document.dialect, entry.text("type"))
    if kind is None:
        return
    for key in entry.mapping("config"):
        if dialect(document.dialect).drops_nulls:
            yield from _skipped_items(entry, "config", key)
        elif key in kind.model_fields:
            yield from _refused_items(entry, key)


def _refused_items(entry: Document, key: str) -> Iterator[Finding]:
    """Report the empty items of a list in which they are not skipped."""
    for pointer, it in entry.items("config", key):
        if it is None:
            message = f"An item of '{key}' is empty, so the run cannot start"
            fix = Fix("Remove the empty item", (RemoveKey(pointer),), preferred=True)
            yield EMPTY_ITEM.at(pointer, message, fixes=[fix], severity=Severity.ERROR, refused=True)


def _skipped_items(document: Document, *place: str | int) -> Iterator[Finding]:
    items = document.value(*place)
    if not isinstance(items, list):
        return
    empty = [(*place, index) for index in _indices_of_empty(items)]
    # If all items of a required list are empty, another rule reports the list.
    is_reported = place[-1] in _REQUIRED_LISTS or "config" in place or "checkpoints" in place[:-1]
    for pointer in empty if len(empty) < len(items) or not is_reported else ():
        fix = Fix("Remove the empty item", (RemoveKey(pointer),), preferred=True)
        yield EMPTY_ITEM.at(pointer, f"This item of '{place[-1]}' is empty and will be skipped", fixes=[fix])


def _indices_of_empty(items: list[Any]) -> list[int]:
    if isinstance(items, Items):
        return [index for index, _ in items.results(_is_empty, _is_empty)]
    return [index for index, it in enumerate(items) if it is None]


def _is_empty(item: Any) -> bool:
    return item is None
