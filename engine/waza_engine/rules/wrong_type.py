"""A value of the wrong type.

## Why
waza refuses the whole file, for example if a string stands where a list is expected, or a number is in quotes. The
pages of [all files](../formats/README.md) have the type of each key.

## Example
```yaml
type: text
name: says-hello
config:
  contains: hello
```

## Instead
```yaml
type: text
name: says-hello
config:
  contains: [hello]
```
"""

from waza_engine.model.findings import Rule

WRONG_TYPE = Rule("wrong-type", "value of the wrong type", fixable=True)
