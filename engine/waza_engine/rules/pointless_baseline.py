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

from waza_engine.checking.by_entry import by_entry
from waza_engine.checking.document import Document
from waza_engine.findings import Finding, Fix, InsertKey, Rule, Severity
from waza_engine.graders.registry import newest_meaning

POINTLESS_BASELINE = Rule("pointless-baseline", "comparison that cannot take place", Severity.WARNING)
APPLIES = {"waza": {"eval", "task"}}
_SKILLS = (("skill",), ("agent",), ("config", "skill_directories"), ("config", "required_skills"))


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if document.kind == "eval":
        has_baseline = bool(document.value("baseline"))
        if document.value("baseline") is True and not any(document.has(*it) for it in _SKILLS):
            message = "There is no skill to leave out: waza does one normal run instead of a comparison"
            yield POINTLESS_BASELINE.at(("baseline",), message, on="key")
    elif suite is not None:
        has_baseline = bool(suite.eval.get("baseline"))
    else:
        return
    for pointer, grader in document.graders() if not has_baseline else ():
        option, choice = _baseline_choice(grader)
        if option and document.value(*pointer, "config", option) == choice:
            message = (
                "There is nothing to compare with: the eval has no 'baseline: true' (or run with --baseline)"
            )
            fix = Fix("Add 'baseline: true'", (InsertKey((), "baseline", True),))
            fixes = [fix] if document.kind == "eval" else []
            yield POINTLESS_BASELINE.at((*pointer, "config", option), message, fixes=fixes)


@by_entry
def _baseline_choice(grader: Mapping[str, Any]) -> tuple[str, str]:
    """The option that makes a grader compare, and with which value; empty for those that never do."""
    kind = newest_meaning(grader.get("type"))
    return kind.baseline_choice if kind is not None and kind.baseline_choice else ("", "")
