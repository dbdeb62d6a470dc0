"""A judge model that is asked about a mock answer.

## Why
With `executor: mock` no agent runs, but `prompt` graders still call a real model: that costs money and judges an echo
of the prompt.

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

JUDGE_UNDER_MOCK = Rule("judge-under-mock", "judge that is asked about a mock answer", Severity.WARNING)
APPLIES = frozenset(["eval", "task"])


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    kind = newest_meaning(entry.value("type")) if document.executor == "mock" else None
    if kind is not None and kind.asks_judge:
        message = "The agent is a mock, but this grader calls a real model to judge its echo"
        yield JUDGE_UNDER_MOCK.at(("type",), message)
