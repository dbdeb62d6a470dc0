"""A long task that runs often, with the same time limit as all other tasks.

## Why
The eval's `config.timeout_seconds` limits each turn of each trial. A task that takes much longer than the others hits
this limit again and again, unless you raise it for all tasks.

## Example
```yaml
id: long-report
name: A long report
inputs:
  prompt: |
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
expected:
  output_contains: [report]
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 5
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
id: long-report
name: A long report
timeout_seconds: 600
inputs:
  prompt: |
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
    Say in a sentence what changed in each of the files, in the order of the changelog, and why it matters.
expected:
  output_contains: [report]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

SHARED_TIME_LIMIT = Rule(
    "shared-time-limit",
    "long task without a time limit of its own",
    Severity.HINT,
    needs=frozenset(["timeout_seconds"]),
)
APPLIES = frozenset(["task"])
_MANY_TRIALS = 5
_LONG_PROMPT = 2000


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    trials = suite.config.get("trials_per_task") if suite is not None else None
    if not isinstance(trials, int) or trials < _MANY_TRIALS or document.has("timeout_seconds"):
        return
    if len(document.text("inputs", "prompt")) >= _LONG_PROMPT:
        fix = Fix("Add 'timeout_seconds'", (InsertKey((), "timeout_seconds", None),))
        message = (
            f"A long prompt with {trials} trials and the eval's time limit. Add 'timeout_seconds' to the task"
        )
        yield SHARED_TIME_LIMIT.at(("inputs", "prompt"), message, on="key", fixes=[fix])
