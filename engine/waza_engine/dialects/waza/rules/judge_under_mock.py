"""A judge model that grades a mock answer.

## Why
With `executor: mock`, no agent runs, but `prompt` graders still call a real model. This costs money, and the model
only judges an echo of the prompt. A mock run is only a smoke test, so the level is information.

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
  - type: prompt
    name: is-polite
    config:
      prompt: Is the answer polite?
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
  - type: prompt
    name: is-polite
    config:
      prompt: Is the answer polite?
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

JUDGE_UNDER_MOCK = Rule("judge-under-mock", "judge that grades a mock answer", Severity.INFORMATION)
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    kind = newest_meaning(entry.value("type")) if document.executor == "mock" else None
    if kind is not None and kind.asks_judge:
        message = (
            f"A '{kind.type_name}' grader calls a real model, but the mock executor only echoes the prompt"
        )
        yield JUDGE_UNDER_MOCK.at(("type",), message)
