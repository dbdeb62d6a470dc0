"""A number, or a length, outside what the key takes.

## Why
waza refuses the file or, worse, replaces the value silently.

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

OUT_OF_RANGE = Rule("out-of-range", "number outside what the key takes")
