"""A check that the agent invokes a skill whose text is already in its prompt.

## Why
Since 0.25, waza puts the text of the skill under test into the system prompt. The agent then has no reason to invoke
the skill: a `skill_invocation` grader that requires it fails even though the agent followed the skill, and trigger
tests measure nothing. `inject_skill_body: false` leaves the text out.

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
graders:
  - type: skill_invocation
    name: uses-the-skill
    config:
      mode: any_order
      required_skills: [notes]
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
  inject_skill_body: false
tasks: ["tasks/*.yaml"]
graders:
  - type: skill_invocation
    name: uses-the-skill
    config:
      mode: any_order
      required_skills: [notes]
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.graders.base import Demand
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import FALSE_WORDS
from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.suite_files import SuiteFiles

INJECTED_SKILL_BODY = Rule(
    "injected-skill-body",
    "required invocation of a skill that is already in the prompt",
    Severity.WARNING,
    needs=frozenset(["config"]),
)
APPLIES = frozenset(["eval", "task", "triggers"])
_KEY = "inject_skill_body"


def check(document: Document) -> Iterator[Finding]:
    skill = _injected_skill(document)
    if not skill:
        return
    if document.kind == "triggers":
        if document.text("skill") == skill:
            message = f"The text of '{skill}' is already in the prompt, so these tests measure little"
            yield INJECTED_SKILL_BODY.at(("skill",), message, severity=Severity.INFORMATION)
        return
    for pointer, grader in document.graders():
        kind = newest_meaning(grader.get("type"))
        for option, demand in kind.demands.items() if kind is not None else ():
            if demand is Demand.SKILLS:
                yield from _required_invocations(document, (*pointer, "config", option), skill)


def _required_invocations(document: Document, place: Pointer, skill: str) -> Iterator[Finding]:
    for pointer, name in document.texts(*place):
        if name == skill:
            message = (
                f"The text of '{skill}' is already in the prompt, so the agent has no reason to invoke it. "
                f"Set '{_KEY}: false' in the eval's config"
            )
            fix = Fix(f"Add '{_KEY}: false'", (InsertKey(("config",), _KEY, False),))
            yield INJECTED_SKILL_BODY.at(pointer, message, fixes=[fix] if document.kind == "eval" else [])


def _injected_skill(document: Document) -> str:
    """Return the skill whose text goes into the suite's prompts; empty if none does or it is unknown."""
    if document.kind == "eval":
        skill, config = document.text("skill"), document.mapping("config")
    else:
        suite: SuiteFiles | None = document.suite
        if suite is None:
            return ""
        skill, config = suite.skill, suite.config
    value = config.get(_KEY)
    is_off = value is False or (isinstance(value, str) and value in FALSE_WORDS)
    return skill if config.get("executor") == "copilot-sdk" and not is_off else ""
