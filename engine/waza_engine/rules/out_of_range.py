"""A number or length outside of the allowed range.

## Why
waza refuses the file or, worse, silently replaces the value.

## Example
```yaml
type: behavior
name: is-quick
config:
  max_tool_calls: -1
```

## Instead
```yaml
type: behavior
name: is-quick
config:
  max_tool_calls: 10
```
"""

from waza_engine.model.findings import Rule

OUT_OF_RANGE = Rule("out-of-range", "number outside of the allowed range")
