"""A list item with nothing in it.

## Why
It is left out without a word (a dash that was left over, or an entry whose lines are not indented below it): nothing is
checked, measured or copied for it. In the lists of a vally grader nothing is left out: no run can start.

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

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import dialect

EMPTY_ITEM = Rule("empty-item", "list item with nothing in it", Severity.WARNING)
APPLIES = frozenset(["eval", "task"])

_OF_FILES = ("graders", "metrics", "tasks", "stimuli")
_NEEDED = frozenset(["tasks", "stimuli", "turns"])
_OF_TASKS = (("graders",), ("checkpoints",), ("requirements",), ("turns",), ("inputs", "files"))


def check(document: Document) -> Iterator[Finding]:
    for key in _OF_FILES if document.kind == "eval" else ():
        yield from _empty(document, key)
    for task, _ in document.tasks():
        for way in _OF_TASKS:
            yield from _empty(document, *task, *way)
        for checkpoint, _ in document.mappings(*task, "checkpoints"):
            yield from _empty(document, *checkpoint, "graders")


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    # Imported late: this is asked for where pydantic is not wanted.
    from waza_engine.graders.registry import graders

    # In the outdated graders of waza a null is an item (docs/reference/waza-graders.md, section 13.14), and
    # of others nobody knows.
    kind = graders(document.dialect).get(entry.text("type"))
    if kind is None:
        return
    for key in entry.mapping("config"):
        if dialect(document.dialect).drops_nulls:
            yield from _empty(entry, "config", key)
        elif key in kind.model_fields:
            yield from _refused(entry, key)


def _refused(entry: Document, key: str) -> Iterator[Finding]:
    """Nothing is left out of the lists of these graders."""
    for pointer, it in entry.items("config", key):
        if it is None:
            message = "Nothing stands here: no run can start"
            fix = Fix("Remove the empty item", (RemoveKey(pointer),), preferred=True)
            yield EMPTY_ITEM.at(pointer, message, fixes=[fix], severity=Severity.ERROR, refused=True)


def _empty(document: Document, *place: str | int) -> Iterator[Finding]:
    items = [*document.items(*place)]
    empty = [pointer for pointer, it in items if it is None]
    # Of a list without anything in it that must have something, others say what that means.
    is_told = place[-1] in _NEEDED or "config" in place or "checkpoints" in place[:-1]
    for pointer in empty if len(empty) < len(items) or not is_told else ():
        fix = Fix("Remove the empty item", (RemoveKey(pointer),), preferred=True)
        yield EMPTY_ITEM.at(pointer, "Nothing stands here: the item is left out", fixes=[fix])
