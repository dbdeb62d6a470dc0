"""A key that the format does not have.

## Why
Older waza versions silently ignore the key, so the option you meant stays off, sometimes for months. Newer versions
refuse the file or warn. The pages of [all files](../formats/README.md) list the keys that exist.

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

UNKNOWN_KEY = Rule("unknown-key", "key that the format does not have", fixable=True)
