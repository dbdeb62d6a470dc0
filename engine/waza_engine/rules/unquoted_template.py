"""A value that starts with `{{` but is not quoted.

## Why
YAML reads two braces as a mapping in a mapping, not as a string. waza stops with an error about types or indentation
that does not mention the template.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
description: {{about}}
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: gpt-4o
description: "{{about}}"
tasks: ["tasks/*.yaml"]
```
"""

from waza_engine.model.findings import Rule

UNQUOTED_TEMPLATE = Rule("unquoted-template", "template without quotes", fixable=True)
