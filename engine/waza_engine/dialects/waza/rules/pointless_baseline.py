"""A baseline comparison that cannot take place.

## Why
`baseline: true` runs the suite with and without skills. If there is no skill, there is nothing to compare: waza prints
a warning and does one normal run. A `prompt` grader with `mode: pairwise` compares the output with the baseline's;
without a baseline it judges only the output.

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
  - type: prompt
    name: better-with-skill
    config:
      prompt: Which answer is better?
      mode: pairwise
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
baseline: true
graders:
  - type: prompt
    name: better-with-skill
    config:
      prompt: Which answer is better?
      mode: pairwise
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.skills import are_skills_off

POINTLESS_BASELINE = Rule(
    "pointless-baseline",
    "baseline comparison that cannot take place",
    Severity.WARNING,
    needs=frozenset(["baseline", "skill", "agent", "config"]),
)
APPLIES = frozenset(["eval", "task"])
_SKILLS = (("skill",), ("agent",), ("config", "skill_directories"), ("config", "required_skills"))


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if document.kind == "eval":
        has_baseline = bool(document.value("baseline"))
        if document.value("baseline") is True and (message := _without_skills(document)):
            yield POINTLESS_BASELINE.at(("baseline",), message, on="key")
    elif suite is not None:
        has_baseline = bool(suite.eval.get("baseline"))
    else:
        return
    for pointer, _, option in document.grader_results(_comparing_option) if not has_baseline else ():
        message = "Nothing to compare with. Add 'baseline: true' to the eval, or run with --baseline"
        fix = Fix("Add 'baseline: true'", (InsertKey((), "baseline", True),))
        fixes = [fix] if document.kind == "eval" else []
        yield POINTLESS_BASELINE.at((*pointer, "config", option), message, fixes=fixes)


def _without_skills(document: Document) -> str:
    """Return the message if no skill can take part in a run; empty if one may."""
    if are_skills_off(document):
        return "'config' disables all skills, so 'baseline' has nothing to compare"
    if any(document.has(*it) for it in _SKILLS):
        return ""
    return "The eval has no skill, so 'baseline' has nothing to compare. waza will do one normal run"


def _comparing_option(_document: Document, grader: Mapping[str, Any]) -> str:
    """Return the option that makes this grader compare; empty if it does not compare."""
    kind, config = newest_meaning(grader.get("type")), grader.get("config")
    if kind is None or not kind.baseline_choice or not isinstance(config, Mapping):
        return ""
    option, choice = kind.baseline_choice
    return option if config.get(option) == choice else ""
