"""A hook whose success counts as failure.

## Why
If you set `exit_codes`, waza accepts only these codes. Without 0 among them, it reports an ordinary success as a
failure, and with `error_on_fail` it stops the run.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
hooks:
  before_run:
    - command: make fixtures
      exit_codes: [2]
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
hooks:
  before_run:
    - command: make fixtures
      exit_codes: [0, 2]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import HERE, AppendItem, Finding, Fix, Rule, Severity
from waza_engine.model.suite import HOOKS
from waza_engine.project.document import Document
from waza_engine.rules.empty_value import EMPTY_VALUE

ZERO_EXIT_CODE_FAILS = Rule(
    "zero-exit-code-fails", "hook whose success counts as failure", Severity.WARNING, needs=frozenset([HERE])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for moment in HOOKS:
        for pointer, hook in document.mappings("hooks", moment):
            codes = hook.get("exit_codes")
            if isinstance(codes, list) and codes and 0 not in codes:
                fix = Fix("Add 0", (AppendItem((*pointer, "exit_codes"), 0),), preferred=True)
                message = "'exit_codes' does not include 0, so the hook fails when its command succeeds"
                yield ZERO_EXIT_CODE_FAILS.at((*pointer, "exit_codes"), message, on="key", fixes=[fix])
            command = hook.get("command")
            if isinstance(command, str) and command and not command.strip():
                message = "The command is blank, so the run will fail"
                yield EMPTY_VALUE.at((*pointer, "command"), message)
