"""An option that has no effect together with the others.

## Why
The option looks like a check, but the grader never uses it.

## Example
```yaml
type: json_schema
name: status
config:
  schema: {type: object}
  schema_file: status.schema.json
```

## Instead
```yaml
type: json_schema
name: status
config:
  schema_file: status.schema.json
```

```text file=../status.schema.json
{"type": "object"}
```
"""

from waza_engine.model.findings import Rule, Severity

IGNORED_OPTION = Rule(
    "ignored-option", "option that has no effect", Severity.WARNING, frozenset(["unused"]), fixable=True
)
