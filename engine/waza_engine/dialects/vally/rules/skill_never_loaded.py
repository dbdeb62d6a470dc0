"""A skill must be activated in a run that has none.

## Why
Since vally 0.8 a run has the skills that `environment.skills` lists and no others. Without any (and without `--skill-dir`) a required skill can never be activated, and every trial fails.

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

from waza_engine.dialects.vally.checks.stimuli import has_own_executor
from waza_engine.graders.base import Demand
from waza_engine.graders.registry import graders
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.skills import FOR_THE_AGENT

SKILL_NEVER_LOADED = Rule(
    "skill-never-loaded",
    "required skill that no run has",
    Severity.WARNING,
    needs=frozenset(["environment", HERE]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    # What a plug-in's executor loads, and what a name stands for, is not to be seen here.
    if has_own_executor(document) or _is_named(document.mapping()):
        return
    known = graders(document.dialect)
    shared = set(_listed(document, ()))
    for stimulus, data in document.tasks():
        if _is_named(data):
            continue
        names = shared | set(_listed(document, stimulus))
        for place, grader in document.mappings(*stimulus, "graders"):
            kind, config = known.get(str(grader.get("type"))), grader.get("config")
            asked = kind.first_demand(config) if kind is not None and isinstance(config, dict) else None
            if asked is not None and asked[1] is Demand.SKILLS:
                yield from _of_grader(document, (*place, "config", asked[0]), names)


def _is_named(given: Mapping[str, Any]) -> bool:
    return any(isinstance(given.get(key), str) for key in FOR_THE_AGENT)


def _listed(document: Document, place: Pointer) -> Iterator[str]:
    """The skills that the spec or a stimulus lists, by the names of their folders."""
    for key in FOR_THE_AGENT:
        for _, text in document.texts(*place, key, "skills"):
            name = os.path.basename(os.path.normpath(text.removesuffix(SKILL_FILE)))  # noqa: PTH119  # `..` is wanted
            yield "" if name in {"..", "."} else name


def _of_grader(document: Document, place: tuple[Any, ...], names: set[str]) -> Iterator[Finding]:
    if not names:
        fix = Fix("Add 'environment.skills'", (InsertKey(("environment",), "skills", ["../skills"]),))
        fixes = [fix] if document.value("environment") is not None else []
        message = (
            "No skill is listed under 'environment.skills', so none is ever activated (without --skill-dir)"
        )
        yield SKILL_NEVER_LOADED.at(place, message, on="key", fixes=fixes)
        return
    if "" in names:
        # A skill is listed by a path without its name, such as `..`.
        return
    for pointer, name in document.texts(*place):
        if name not in names:
            message = f"'{name}' is not among the skills of the environment: {', '.join(sorted(names))}"
            yield SKILL_NEVER_LOADED.at(pointer, message, severity=Severity.HINT)
