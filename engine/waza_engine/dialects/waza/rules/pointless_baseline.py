"""A baseline comparison that cannot take place.

## Why
`baseline: true` runs the suite with and without skills. If there is no skill, there is nothing to compare: waza prints
a warning and does one normal run. A `prompt` grader with `mode: pairwise` never compares in a run, also with
`baseline: true`: the grader does not get the output of the other run, so the judge judges the output on its own. To
compare two runs, use `waza-lsp compare`.

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
    name: correct
    config:
      prompt: Is the answer correct?
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.model.findings import Finding, Rule, Severity, removal
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
    is_eval = document.kind == "eval"
    if is_eval and document.value("baseline") is True and (message := _without_skills(document)):
        yield POINTLESS_BASELINE.at(("baseline",), message, on="key")
    for pointer, grader, option in document.grader_results(_comparing_option):
        place = (*pointer, "config", option)
        message = (
            f"'{grader['config'][option]}' never compares: runs do not give the grader the output without skills, so the "
            "judge judges this output on its own. To compare two runs, use `waza-lsp compare`"
        )
        yield POINTLESS_BASELINE.at(place, message, fixes=[removal(place)])


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
