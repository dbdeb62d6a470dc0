"""A name of the trial, or a function, in a part of an assertion where it cannot be seen.

## Why
Inside a lambda, and in the body and the conditions of a generator expression, an assertion sees nothing of the trial,
not even `len`. The same holds for list, set and dictionary comprehensions before Python 3.12. Only the first
iterable is evaluated outside. The assertion raises a name error and counts as failed, whatever the agent did.

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

NAME_OUT_OF_SCOPE = Rule("name-out-of-scope", "name where an assertion cannot see it", Severity.WARNING)
