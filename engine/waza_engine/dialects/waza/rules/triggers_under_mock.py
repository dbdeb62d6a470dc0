"""Trigger tests with the mock executor.

## Why
With `executor: mock`, waza runs no prompt and counts every answer as correct, so the accuracy is always 1.0. A mock
run is only a smoke test, so the level is information.

## Example
The `eval.yaml` has `executor: mock`:

```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Related, Rule, Severity
from waza_engine.project.document import Document

TRIGGERS_UNDER_MOCK = Rule(
    "triggers-under-mock", "trigger tests with the mock executor", Severity.INFORMATION
)
APPLIES = frozenset(["triggers"])


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is not None and suite.executor == "mock" and document.has("skill"):
        message = "With 'executor: mock', waza runs no prompts and counts every answer as correct"
        related = [Related(("config", "executor"), "the executor", suite.eval_path)]
        yield TRIGGERS_UNDER_MOCK.at(("skill",), message, on="key", related=related)
