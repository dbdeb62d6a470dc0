"""A word that is none of those the key knows.

## Why
waza does not look at such words when it loads the file; the grader fails to build after the agent has run.

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

UNKNOWN_VALUE = Rule("unknown-value", "word that is none of those the key knows")
