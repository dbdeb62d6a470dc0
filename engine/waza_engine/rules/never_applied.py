"""A key that waza reads and then never uses.

## Why
It looks as if something were checked or set, and nothing is, in any version of waza. The run passes just the same.

## Example
```yaml
id: short-answer
name: A short answer
inputs:
  prompt: Answer in one word.
expected:
  behavior:
    max_tool_calls: 3
```

## Instead
```yaml
id: short-answer
name: A short answer
inputs:
  prompt: Answer in one word.
graders:
  - type: behavior
    name: few-calls
    config:
      max_tool_calls: 3
```
"""

from waza_engine.model.findings import Rule, Severity

NEVER_APPLIED = Rule(
    "never-applied", "key that is read and never used", Severity.WARNING, frozenset(["unused"])
)
