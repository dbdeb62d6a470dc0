"""A name in an assertion that does not exist there.

## Why
Assertions see six names of the trial and `len any all re str int float bool list dict`, and none of Python's other
functions. The assertion raises a name error and counts as failed, whatever the agent did.

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

UNKNOWN_ASSERTION_NAME = Rule("unknown-assertion-name", "name that no assertion can see", Severity.WARNING)
