"""Trigger tests and their metric, of which one is missing.

## Why
`trigger_accuracy` is computed from `trigger_tests.yaml` beside the eval. Without that file the metric is ignored;
without the metric the trigger tests are run and nothing depends on their outcome.

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

from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.model.findings import AppendItem, CreateFile, Finding, Fix, Related, Rule, Severity
from waza_engine.project.document import Document

IDLE_TRIGGER_METRIC = Rule(
    "idle-trigger-metric",
    "trigger tests without their metric, or the reverse",
    Severity.WARNING,
    needs=frozenset(["metrics"]),
)
APPLIES = frozenset(["eval"])
_METRIC = {"name": "trigger_accuracy", "weight": 1.0, "threshold": 0.9}


def check(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None:
        return
    place = next(
        (place for place, it in document.mappings("metrics") if it.get("name") == "trigger_accuracy"), None
    )
    has_tests = document.files.is_file(folder / TRIGGER_TESTS)
    if place is not None and not has_tests:
        message = f"There is no {TRIGGER_TESTS} beside this file, so this metric is ignored"
        skill = document.text("skill") or "my-skill"
        text = f"skill: {skill}\nshould_trigger_prompts:\n  - prompt: \nshould_not_trigger_prompts:\n  - prompt: \n"
        fixes = [Fix(f"Create {TRIGGER_TESTS}", (CreateFile(folder / TRIGGER_TESTS, text),))]
        yield IDLE_TRIGGER_METRIC.at((*place, "name"), message, fixes=fixes)
    elif place is None and has_tests and isinstance(document.value("metrics") or [], list):
        message = f"{TRIGGER_TESTS} is run, but without a metric 'trigger_accuracy' nothing depends on it"
        yield IDLE_TRIGGER_METRIC.at(
            ("metrics",) if document.has("metrics") else (),
            message,
            on="key",
            fixes=[Fix("Add the metric 'trigger_accuracy'", (AppendItem(("metrics",), _METRIC),))],
            related=[Related((), "these tests", folder / TRIGGER_TESTS)],
        )
