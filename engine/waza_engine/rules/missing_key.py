"""A required key that is missing.

## Why
waza refuses the file, or notices after the agent has run; either way the run is lost. A key without a value, or with
`null`, counts as missing. The pages of [all files](../formats/README.md) say which keys are required.

## Example
```yaml
type: action_sequence
name: build-then-test
config:
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

MISSING_KEY = Rule("missing-key", "required key that is missing")
