"""A check that the mock executor always passes.

## Why
The mock answers with an echo of the prompt. `len(output) > 0`, or a text of the prompt under `contains`, is true in
every run: the suite is green and says nothing.

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

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Pointer, Rule, Severity
from waza_engine.text import fold

PASSES_UNDER_MOCK = Rule("passes-under-mock", "check that the mock executor always passes", Severity.WARNING)
APPLIES = {"waza": {"eval", "task"}}
_ALWAYS_TRUE = frozenset(
    ["output", "len(output)", "len(output)>0", "len(output)>=1", "output!=''", 'output!=""', "len(output)!=0"]
)


def check(document: Document) -> Iterator[Finding]:
    if document.executor == "mock":
        for task, _ in document.tasks():
            yield from _echoes(document, task)


def check_grader(entry: Document, executor: str) -> Iterator[Finding]:
    if executor != "mock" or entry.text("type") != "code":
        return
    for pointer, text in entry.texts("config", "assertions"):
        if "".join(text.split()) in _ALWAYS_TRUE:
            yield PASSES_UNDER_MOCK.at(
                pointer, "The mock executor always answers something: this says nothing"
            )


def _echoes(document: Document, task: Pointer) -> Iterator[Finding]:
    prompt = fold(document.text(*task, "inputs", "prompt"))
    if not prompt or document.has(*task, "inputs", "follow_up_prompts"):
        return
    for pointer, grader in document.mappings(*task, "graders"):
        if grader.get("type") == "text":
            for place, text in document.texts(*pointer, "config", "contains"):
                if text and fold(text) in prompt:
                    message = (
                        "The mock executor echoes the prompt, which contains this: the check says nothing"
                    )
                    yield PASSES_UNDER_MOCK.at(place, message)
