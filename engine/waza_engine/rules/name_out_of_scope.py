"""A trial variable or function where an assertion cannot access it.

## Why
Inside a lambda, and in the body and conditions of a generator expression, an assertion cannot access the trial's
variables or functions, not even `len`. Before Python 3.12 the same applies to list, set and dictionary comprehensions.
Only the first iterable is evaluated outside. The assertion raises a `NameError` and counts as failed, whatever the
agent did.

## Example
```yaml
type: code
name: names-a-colour
config:
  assertions: ["any(it in output for it in ['red', 'blue'])"]
```

## Instead
```yaml
type: code
name: names-a-colour
config:
  assertions: ["re.search('red|blue', output)"]
```
"""

from waza_engine.model.findings import Rule, Severity

NAME_OUT_OF_SCOPE = Rule("name-out-of-scope", "name that an assertion cannot access", Severity.WARNING)
