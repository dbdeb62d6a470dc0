"""An option that has no effect beside the others.

## Why
It looks as if something were checked, but the grader never looks at it.

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

IGNORED_OPTION = Rule("ignored-option", "option without effect", Severity.WARNING, frozenset(["unused"]))
