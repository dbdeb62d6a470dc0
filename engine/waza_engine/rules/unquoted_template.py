"""A value that starts with `{{` and is not in quotes.

## Why
To YAML two braces are a mapping in a mapping, not a text. waza stops with an error about types or indentation that does
not mention the template.

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

UNQUOTED_TEMPLATE = Rule("unquoted-template", "template without quotes")
