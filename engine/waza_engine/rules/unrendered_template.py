"""A template that nothing replaces.

## Why
waza replaces templates only in the `prompt` column of a dataset (`tasks_from`): graders, hooks and expectations get the
braces as written, so a check looks for text that no agent says. vally replaces only `${NAME}`.

Only names that the suite defines are reported (in `inputs`, or as columns). Anything else may be meant as it is.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
inputs:
  topic: bread
tasks_from: rows.csv
graders:
  - type: text
    name: names-the-topic
    config:
      contains: ["{{.Vars.topic}}"]
```

```text file=rows.csv
id,prompt
first,Explain {{.Vars.topic}}.
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
inputs:
  topic: bread
tasks_from: rows.csv
graders:
  - type: text
    name: names-the-topic
    config:
      contains: ["bread"]
```

```text file=rows.csv
id,prompt
first,Explain {{.Vars.topic}}.
```
"""

from waza_engine.model.findings import HERE, Rule, Severity

UNRENDERED_TEMPLATE = Rule(
    "unrendered-template",
    "template that nothing replaces",
    Severity.WARNING,
    needs=frozenset(["inputs", "tasks_from", HERE]),
)
