"""A requirement that names an unknown grader.

## Why
Requirements describe what the task is about and name the graders that cover it. If no grader has the name, nothing
covers the requirement; `waza preflight` reports it.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
graders:
  - type: text
    name: polite
    config:
      contains: [please]
requirements:
  - id: R1
    category: quality
    description: The answer is polite.
    checks:
      - scope: task
        grader: politeness
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
graders:
  - type: text
    name: polite
    config:
      contains: [please]
requirements:
  - id: R1
    category: quality
    description: The answer is polite.
    checks:
      - scope: task
        grader: polite
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, RemoveKey, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.rules.missing_companion import MISSING_COMPANION

UNKNOWN_GRADER = Rule(
    "unknown-grader",
    "requirement that names an unknown grader",
    Severity.WARNING,
    needs=frozenset(["graders", HERE]),
)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks_with("requirements"):
        for requirement, _ in document.mappings(*task, "requirements"):
            for pointer, _ in document.mappings(*requirement, "checks"):
                yield from _reference(document, task, pointer)
                yield from _turn(document, pointer)


def _turn(document: Document, pointer: Pointer) -> Iterator[Finding]:
    scope, place = document.text(*pointer, "scope"), (*pointer, "after_turn")
    has_turn = document.value(*place) is not None
    if scope == "checkpoint" and not has_turn:
        fix = Fix("Add 'after_turn'", (InsertKey(pointer, "after_turn", 1),))
        message = "The scope 'checkpoint' needs 'after_turn'"
        yield MISSING_COMPANION.at((*pointer, "scope"), message, fixes=[fix])
    elif scope in {"eval", "task"} and has_turn:
        fix = Fix("Remove 'after_turn'", (RemoveKey(place),))
        message = "'after_turn' is only for the scope 'checkpoint'"
        yield MISSING_COMPANION.at(place, message, on="key", fixes=[fix])


def _reference(document: Document, task: Pointer, pointer: Pointer) -> Iterator[Finding]:
    name, scope = document.text(*pointer, "grader"), document.text(*pointer, "scope")
    names = document.once(("names of graders", task, scope), lambda: _names(document, task, scope))
    if name and names is not None and name not in names:
        place = (*pointer, "grader")
        close = nearest(name, names)
        fixes = [Fix(f"Change to '{it}'", (SetValue(place, it),)) for it in close]
        hint = f". Did you mean '{close[0]}'?" if close else ""
        yield UNKNOWN_GRADER.at(place, f"No grader named '{name}' in the scope '{scope}'{hint}", fixes=fixes)


def _names(document: Document, task: Pointer, scope: str) -> set[str] | None:
    """Return the names of the graders in a scope of a task; None if they cannot be known."""
    graders: list[Mapping[str, Any]] | None
    match scope:
        case "eval" if document.kind == "eval":
            graders = [it for _, it in document.mappings("graders")]
        case "eval":
            graders = document.suite.graders if document.suite is not None else None
        case "task":
            graders = [it for _, it in document.mappings(*task, "graders")]
        case "checkpoint":
            points = [it for it, _ in document.mappings(*task, "checkpoints")]
            graders = [it for point in points for _, it in document.mappings(*point, "graders")]
        case _:
            graders = None
    return {str(it.get("name")) for it in graders} if graders is not None else None
