"""A key that waza reads but never uses.

## Why
The key looks like a check or a setting, but no version of waza uses it. The run passes all the same. For `outcomes` and
`should_trigger` the level is only a hint: most authors use them as notes, beside graders that do the check. So it is for `expected.behavior` under the mock executor, and beside a `behavior` grader with the same limits.

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
    "never-applied", "key that is read but never used", Severity.WARNING, frozenset(["unused"])
)
