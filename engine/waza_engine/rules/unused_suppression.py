"""A `waza-lsp: ignore` comment that suppresses nothing.

## Why
The mistake is fixed, the code is misspelt, or the comment is on a different line from the finding. If you leave the
comment, it hides the next finding of that kind on its line.

## Example
```yaml
name: notes-eval
skill: notes  # waza-lsp: ignore[unknown-key]
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule, Severity

UNUSED_SUPPRESSION = Rule(
    "unused-suppression",
    "suppression comment that suppresses nothing",
    Severity.HINT,
    frozenset(["unused"]),
)
