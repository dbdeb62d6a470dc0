"""A hook whose success counts as failure.

## Why
When `exit_codes` is given, only the codes in it are acceptable. Without 0 among them an ordinary success is reported as
a failure, and with `error_on_fail` it ends the run.

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
                message = "0 is not among the codes: when the command succeeds, the hook has failed"
                yield ZERO_EXIT_CODE_FAILS.at((*pointer, "exit_codes"), message, on="key", fixes=[fix])
            command = hook.get("command")
            if isinstance(command, str) and command and not command.strip():
                message = "The command is blank, which ends the run"
                yield EMPTY_VALUE.at((*pointer, "command"), message)
