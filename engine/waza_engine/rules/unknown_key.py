"""A key that the format does not have.

## Why
Older waza versions ignore it silently: the option you meant is simply off, sometimes for months. Newer ones refuse
the file or warn.

## Example
```yaml
type: text
name: says-hello
config:
  contians: [hello]
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

UNKNOWN_KEY = Rule("unknown-key", "key that the format does not have")
