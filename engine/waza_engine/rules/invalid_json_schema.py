"""A JSON Schema that waza cannot compile.

## Why
waza compiles the schema when it grades, after the agent has run, and then stops the whole run with an error. Patterns
in the schema use RE2, which has no look-ahead and no back-references.

## Example
```yaml
type: json_schema
name: status
config:
  schema: {type: objekt}
```

## Instead
```yaml
type: json_schema
name: status
config:
  schema: {type: object}
```
"""

from waza_engine.model.findings import Rule

INVALID_JSON_SCHEMA = Rule("invalid-json-schema", "JSON Schema that waza cannot compile")
