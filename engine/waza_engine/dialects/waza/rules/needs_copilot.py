"""A key that works only with the executor `copilot-sdk`.

## Why
With any other executor, waza refuses reasoning efforts and command mocks before it runs anything.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
  reasoning_effort: high
tasks: ["tasks/*.yaml"]
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
  reasoning_effort: high
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.checks.mocks import command_mocks
from waza_engine.dialects.waza.formats.loading.conditions import WITHOUT_COPILOT
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, removal
from waza_engine.project.document import Document

NEEDS_COPILOT = Rule("needs-copilot", "key that works only with copilot-sdk")
APPLIES = frozenset(["eval", "task"])
_EFFORTS = (("config", "reasoning_effort"), ("config", "judge_reasoning_effort"))


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    executor = document.value("config", "executor")
    if document.kind == "task":
        executor = suite.executor if suite is not None else ""
    # Unknown executors are reported by another rule.
    if not isinstance(executor, str) or executor not in WITHOUT_COPILOT:
        return
    # Imported late: nearly all evals run on copilot-sdk, and this builds models.
    from waza_engine.dialects.waza.formats.settings import REASONING_EFFORTS

    # Unknown efforts are reported by another rule.
    efforts = [it for it in _EFFORTS if document.kind == "eval" and document.text(*it) in REASONING_EFFORTS]
    for pointer in (*efforts, *(it for it in command_mocks(document) if document.has(*it))):
        fixes = [removal(pointer)]
        if document.kind == "eval":
            change = SetValue(("config", "executor"), "copilot-sdk")
            fixes.append(Fix("Change the executor to copilot-sdk", (change,)))
        message = f"'{pointer[-1]}' needs 'executor: copilot-sdk', but the eval uses '{executor}'"
        yield NEEDS_COPILOT.at(pointer, message, on="key", fixes=fixes)
