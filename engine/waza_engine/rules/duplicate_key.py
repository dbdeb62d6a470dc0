"""A key that stands twice in one mapping.

## Why
waza refuses the file. Other tools keep the last one silently.

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

DUPLICATE_KEY = Rule("duplicate-key", "key that stands twice in one mapping")
