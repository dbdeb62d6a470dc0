"""A value of another kind than the key takes.

## Why
waza refuses the whole file when a list is given as a text or a number in quotes.

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

WRONG_TYPE = Rule("wrong-type", "value of another kind than the key takes")
