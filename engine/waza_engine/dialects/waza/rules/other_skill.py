"""Trigger tests for another skill than the eval.

## Why
The names are compared letter by letter. With another name the tests look at a skill that this eval is not about.

## Example
With `skill: notes` in `eval.yaml`:

```yaml
skill: note
should_trigger_prompts:
  - prompt: Take notes of this meeting
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
```

## Instead
```yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```

```yaml file=eval.yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, Related, Rule, SetValue, Severity
from waza_engine.project.document import Document

OTHER_SKILL = Rule("other-skill", "trigger tests for another skill than the eval", Severity.WARNING)
APPLIES = frozenset(["triggers"])


def check(document: Document) -> Iterator[Finding]:
    suite, own = document.suite, document.text("skill")
    if suite is not None and own and suite.skill and own != suite.skill:
        yield OTHER_SKILL.at(
            ("skill",),
            f"The eval beside this file tests the skill '{suite.skill}', not '{own}'",
            fixes=[Fix(f"Change to '{suite.skill}'", (SetValue(("skill",), suite.skill),), preferred=True)],
            related=[Related(("skill",), "the eval's skill", suite.eval_path)],
        )
