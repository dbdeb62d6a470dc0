"""Trigger tests for a different skill than the eval's.

## Why
waza compares the names exactly. With a different name, the tests are about a skill that the eval does not test.

## Example
The `eval.yaml` has `skill: notes`:

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

OTHER_SKILL = Rule("other-skill", "trigger tests for a different skill than the eval's", Severity.WARNING)
APPLIES = frozenset(["triggers"])


def check(document: Document) -> Iterator[Finding]:
    suite, own = document.suite, document.text("skill")
    if suite is not None and own and suite.skill and own != suite.skill:
        yield OTHER_SKILL.at(
            ("skill",),
            f"The eval next to this file tests the skill '{suite.skill}', not '{own}'",
            fixes=[Fix(f"Change to '{suite.skill}'", (SetValue(("skill",), suite.skill),), preferred=True)],
            related=[Related(("skill",), "the eval's skill", suite.eval_path)],
        )
