"""A value that is not one of the key's allowed values.

## Why
waza does not check such values when it loads the file. It fails when it creates the grader, after the agent has run.
The pages of [all files](../formats/README.md) list the values of each key.

## Example
```yaml
type: action_sequence
name: build-then-test
config:
  matching_mode: in_order
  expected_actions: [bash]
```

## Instead
```yaml
type: action_sequence
name: build-then-test
config:
  matching_mode: in_order_match
  expected_actions: [bash]
```
"""

from waza_engine.model.findings import Rule

UNKNOWN_VALUE = Rule("unknown-value", "value that is not one of the allowed values", fixable=True)
