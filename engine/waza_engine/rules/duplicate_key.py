"""A key that occurs twice in the same mapping.

## Why
waza refuses the file. Other tools silently use the last value.

## Example
```yaml
type: text
name: says-hello
config:
  contains: [hello]
  contains: [hi]
```

## Instead
```yaml
type: text
name: says-hello
config:
  contains: [hello, hi]
```
"""

from waza_engine.model.findings import Rule

DUPLICATE_KEY = Rule("duplicate-key", "key that occurs twice in the same mapping")
