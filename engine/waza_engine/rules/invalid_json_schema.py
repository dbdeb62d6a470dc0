"""A JSON Schema that waza cannot compile.

## Why
waza compiles the schema when it grades, after the agent has run, and then ends the whole run with an error. Patterns
in the schema are RE2: look-ahead and back-references are refused.

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

INVALID_JSON_SCHEMA = Rule("invalid-json-schema", "JSON Schema that does not compile")
