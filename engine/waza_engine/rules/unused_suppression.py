"""A `waza-lsp: ignore` comment that silences nothing.

## Why
The mistake it was written for is gone, or the code in it is misspelt, or it stands on another line than the finding.
Left behind, it hides the next mistake of that kind on its line.

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
    "suppression comment that silences nothing",
    Severity.HINT,
    frozenset(["unused"]),
)
