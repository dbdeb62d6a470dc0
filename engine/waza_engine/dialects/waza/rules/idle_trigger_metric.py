"""Trigger tests without their metric, or the metric without trigger tests.

## Why
waza computes `trigger_accuracy` from the `trigger_tests.yaml` next to the eval. Without that file it ignores the
metric; without the metric it runs the trigger tests, but their outcome affects nothing. The tasks are graded all the
same, so the level is information.

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
    Severity.INFORMATION,
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
        message = f"No {TRIGGER_TESTS} next to this file, so waza ignores 'trigger_accuracy'"
        skill = document.text("skill") or "my-skill"
        text = f"skill: {skill}\nshould_trigger_prompts:\n  - prompt: \nshould_not_trigger_prompts:\n  - prompt: \n"
        fixes = [Fix(f"Create {TRIGGER_TESTS}", (CreateFile(folder / TRIGGER_TESTS, text),))]
        yield IDLE_TRIGGER_METRIC.at((*place, "name"), message, fixes=fixes)
    elif place is None and has_tests and isinstance(document.value("metrics") or [], list):
        message = f"Without a metric 'trigger_accuracy', the results of {TRIGGER_TESTS} affect nothing"
        yield IDLE_TRIGGER_METRIC.at(
            ("metrics",) if document.has("metrics") else (),
            message,
            on="key",
            fixes=[Fix("Add the metric 'trigger_accuracy'", (AppendItem(("metrics",), _METRIC),))],
            related=[Related((), "these tests", folder / TRIGGER_TESTS)],
        )
