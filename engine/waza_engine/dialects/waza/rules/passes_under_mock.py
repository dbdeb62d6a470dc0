"""A check that the mock executor always passes.

## Why
The mock executor echoes the prompt. So `len(output) > 0`, or a word of the prompt under `contains`, passes in every
run: the suite is green but proves nothing. A mock run is only a smoke test, so the level is information.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: code
    name: says-something
    config:
      assertions: ["len(output) > 0"]
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
graders:
  - type: code
    name: says-something
    config:
      assertions: ["len(output) > 0"]
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

PASSES_UNDER_MOCK = Rule(
    "passes-under-mock", "check that the mock executor always passes", Severity.INFORMATION
)
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    if document.executor == "mock":
        for task, _, found in document.task_results(_in_task):
            yield from (it.below(task) for it in found)


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    kind = newest_meaning(entry.value("type")) if document.executor == "mock" else None
    for place in kind.vacuous_checks(entry.mapping("config")) if kind is not None else ():
        message = "The mock executor always answers something, so this check always passes"
        yield PASSES_UNDER_MOCK.at(("config", *place), message)


def _in_task(document: Document, task: Mapping[str, Any]) -> list[Finding]:
    return [*_echoes(document.entry(task))]


def _echoes(task: Document) -> Iterator[Finding]:
    prompt = task.text("inputs", "prompt")
    if not prompt or task.has("inputs", "follow_up_prompts"):
        return
    for pointer, grader in task.mappings("graders"):
        kind, config = newest_meaning(grader.get("type")), task.mapping(*pointer, "config")
        for place in kind.echoed_checks(config, prompt) if kind is not None else ():
            message = (
                "The mock executor echoes the prompt, which contains this text, so this check always passes"
            )
            yield PASSES_UNDER_MOCK.at((*pointer, "config", *place), message)
