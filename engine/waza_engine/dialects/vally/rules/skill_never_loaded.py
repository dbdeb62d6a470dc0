"""A required skill that the run does not have.

## Why
Since vally 0.8, a run has only the skills that `environment.skills` lists. Without any (and without `--skill-dir`),
the agent can never activate a required skill, so every trial fails. The level is information if the spec lists no
skill at all: an experiment or `--skill-dir` may add one.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: skill-invocation
        config: {required: [deploy]}
```

## Instead
```yaml
environment:
  skills: [skills/deploy]
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: skill-invocation
        config: {required: [deploy]}
```

```text file=skills/deploy/SKILL.md
---
name: deploy
description: Deploys.
---
Deploy.
```
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.vally.checks.stimuli import has_own_executor, whole_spec
from waza_engine.graders.base import Demand
from waza_engine.graders.registry import current_grader
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.skills import FOR_THE_AGENT

SKILL_NEVER_LOADED = Rule(
    "skill-never-loaded",
    "required skill that the run does not have",
    Severity.WARNING,
    needs=frozenset(["environment", HERE]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    # It is unknown what a plug-in's executor loads and what a named environment contains; a part of a spec lists no skills.
    if (
        has_own_executor(document)
        or whole_spec(document) is not None
        or _has_named_environment(document.mapping())
    ):
        return
    shared = set(_skill_names(document, ()))
    for stimulus, data in document.tasks():
        if _has_named_environment(data):
            continue
        names = shared | set(_skill_names(document, stimulus))
        for place, grader in document.mappings(*stimulus, "graders"):
            kind, config = current_grader(document.dialect, str(grader.get("type"))), grader.get("config")
            demand = kind.first_demand(config) if kind is not None and isinstance(config, dict) else None
            if demand is not None and demand[1] is Demand.SKILLS:
                yield from _missing_skills(document, (*place, "config", demand[0]), names)


def _has_named_environment(part: Mapping[str, Any]) -> bool:
    return any(isinstance(part.get(key), str) for key in FOR_THE_AGENT)


def _skill_names(document: Document, place: Pointer) -> Iterator[str]:
    """Yield the skills that the spec or a stimulus lists, by the names of their folders."""
    for key in FOR_THE_AGENT:
        for _, text in document.texts(*place, key, "skills"):
            name = os.path.basename(os.path.normpath(text.removesuffix(SKILL_FILE)))  # noqa: PTH119  # resolves `..`
            yield "" if name in {"..", "."} else name


def _missing_skills(document: Document, place: tuple[Any, ...], names: set[str]) -> Iterator[Finding]:
    if not names:
        fix = Fix("Add 'environment.skills'", (InsertKey(("environment",), "skills", ["../skills"]),))
        fixes = [fix] if document.value("environment") is not None else []
        message = (
            "'environment.skills' lists no skill, so the agent can activate none. Add one, or use --skill-dir"
        )
        # Experiments and `--skill-dir` add skills that the spec does not list.
        yield SKILL_NEVER_LOADED.at(place, message, on="key", fixes=fixes, severity=Severity.INFORMATION)
        return
    if "" in names:
        return  # A skill is listed by a path without its name, such as `..`.
    for pointer, name in document.texts(*place):
        if name not in names:
            message = f"'environment.skills' does not list '{name}'. It lists: {', '.join(sorted(names))}"
            yield SKILL_NEVER_LOADED.at(pointer, message, severity=Severity.HINT)
