"""A name that does not exist in assertions.

## Why
Assertions can use six variables of the trial and `len any all re str int float bool list dict`, but none of Python's
other functions. Otherwise the assertion raises a `NameError` and counts as failed, whatever the agent did.

## Example
```yaml
type: code
name: two-calls
config:
  assertions: ['sum([1 for it in tool_calls]) == 2']
```

## Instead
```yaml
type: code
name: two-calls
config:
  assertions: ['len(tool_calls) == 2']
```
"""

from waza_engine.model.findings import Rule, Severity

UNKNOWN_ASSERTION_NAME = Rule(
    "unknown-assertion-name", "name that does not exist in assertions", Severity.WARNING
)
