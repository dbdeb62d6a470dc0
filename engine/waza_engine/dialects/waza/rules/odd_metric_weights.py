"""Metric weights that do not add up to 1 or 100.

## Why
Weights are shares of the suite's score. waza does not use them, but readers expect shares of a whole.

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
  - name: trigger_accuracy
    weight: 0.5
    threshold: 0.8
  - name: task_completion
    weight: 0.4
    threshold: 0.8
```

```yaml file=trigger_tests.yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
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
    weight: 0.6
    threshold: 0.8
  - name: task_completion
    weight: 0.4
    threshold: 0.8
```
"""

import math
from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

ODD_METRIC_WEIGHTS = Rule(
    "odd-metric-weights",
    "metric weights that do not add up to 1 or 100",
    Severity.INFORMATION,
    needs=frozenset(["metrics"]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    metrics = [it for _, it in document.mappings("metrics") if it.get("enabled") is not False]
    weights = [it.get("weight", 1.0) for it in metrics]
    if len(weights) < 2 or not all(
        isinstance(it, (int, float)) and not isinstance(it, bool) for it in weights
    ):
        return
    total = math.fsum(weights)
    if not any(math.isclose(total, it, abs_tol=1e-6) for it in (1, 100)) and any(it != 1 for it in weights):
        message = f"The metric weights add up to {total:g}, not to 1 or 100"
        yield ODD_METRIC_WEIGHTS.at(("metrics",), message, on="key")
