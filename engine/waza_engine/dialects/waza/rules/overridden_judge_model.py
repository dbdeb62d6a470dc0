"""A judge model that the project overrides.

## Why
The project's `defaults.judgeModel` overrides the eval's `judge_model`; only `--judge-model` on the command line
overrides both.

## Example
The `.waza.yaml` has `judgeModel: gpt-5.2`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  judge_model: gpt-4o
tasks: ["tasks/*.yaml"]
```

```yaml file=.waza.yaml
defaults:
  judgeModel: gpt-5.2
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
```

```yaml file=.waza.yaml
defaults:
  judgeModel: gpt-5.2
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, Related, RemoveKey, Rule, Severity
from waza_engine.project.document import Document

OVERRIDDEN_JUDGE_MODEL = Rule(
    "overridden-judge-model", "judge model that the project overrides", Severity.INFORMATION
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    place, suite = ("config", "judge_model"), document.suite
    own = document.text(*place)
    model = suite.setting("project:defaults.judgeModel") if own and suite is not None else None
    if suite is not None and isinstance(model, str) and model and model != own:
        yield OVERRIDDEN_JUDGE_MODEL.at(
            place,
            f"The project's judgeModel '{model}' overrides '{own}'",
            fixes=[Fix("Remove 'judge_model'", (RemoveKey(place),))],
            related=[Related(("defaults", "judgeModel"), "set here", suite.project_path)],
        )
