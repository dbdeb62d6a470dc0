"""A long task that is run often, with the time limit that is meant for all tasks.

## Why
Each turn of each trial may take as long as the eval's `config.timeout_seconds` says. A task that takes much longer
than the others fails there again and again, or the limit is raised for all of them.

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
        message = f"A long prompt, run {trials} times with the limit of all tasks; 'timeout_seconds' gives it its own"
        yield SHARED_TIME_LIMIT.at(("inputs", "prompt"), message, on="key", fixes=[fix])
