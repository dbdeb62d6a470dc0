"""A metric whose threshold waza never checks.

## Why
waza computes only `trigger_accuracy`, from the trigger tests. The run passes even if it misses any other threshold by
far. (waza-lsp also computes `task_completion` and `behavior_quality`.) The level is information, because waza itself
writes such metrics into new evals.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
metrics:
  - name: task_completion
    weight: 1.0
    threshold: 0.8
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
tasks: ["tasks/*.yaml"]
metrics:
  - name: trigger_accuracy
    weight: 1.0
    threshold: 0.8
```

```yaml file=trigger_tests.yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, Severity
from waza_engine.project.document import Document

UNENFORCED_METRIC = Rule("unenforced-metric", "metric that waza never checks", Severity.INFORMATION)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for pointer, metric in document.mappings("metrics"):
        name = metric.get("name")
        if (
            isinstance(name, str)
            and name
            and name != "trigger_accuracy"
            and metric.get("enabled") is not False
        ):
            message = f"'{name}' has no effect: waza only evaluates 'trigger_accuracy'"
            fix = Fix(f"Remove the metric '{name}'", (RemoveKey(pointer),))
            yield UNENFORCED_METRIC.at((*pointer, "name"), message, fixes=[fix])
