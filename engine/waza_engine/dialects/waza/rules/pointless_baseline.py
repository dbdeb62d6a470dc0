"""A comparison with a baseline that cannot take place.

## Why
`baseline: true` runs the suite with skills and without. Without a skill there is nothing to compare: waza warns and
does one normal run. A `prompt` grader with `mode: pairwise` compares with the output of the baseline; without one it
judges the output alone.

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
    "comparison that cannot take place",
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
        message = (
            "There is nothing to compare with: the eval has no 'baseline: true' (or run with --baseline)"
        )
        fix = Fix("Add 'baseline: true'", (InsertKey((), "baseline", True),))
        fixes = [fix] if document.kind == "eval" else []
        yield POINTLESS_BASELINE.at((*pointer, "config", option), message, fixes=fixes)


def _without_skills(document: Document) -> str:
    """What to say where no skill takes part in a run; empty when one may."""
    if are_skills_off(document):
        return "All skills are switched off in 'config': there is nothing to compare"
    if any(document.has(*it) for it in _SKILLS):
        return ""
    return "There is no skill to leave out: waza does one normal run instead of a comparison"


def _comparing_option(_document: Document, grader: Mapping[str, Any]) -> str:
    """The option that makes this grader compare; empty when it does not."""
    kind, config = newest_meaning(grader.get("type")), grader.get("config")
    if kind is None or not kind.baseline_choice or not isinstance(config, Mapping):
        return ""
    option, choice = kind.baseline_choice
    return option if config.get(option) == choice else ""
