"""A path or glob of an experiment that matches no eval.

## Why
The experiment is run over the evals that are found: one that is missed goes unnoticed, and without any there is nothing to
run. Paths start at the experiment.

## Example
```yaml
name: skill-or-not
evals: [evals/eval.yaml]
vary: [/environment/skills]
baseline: without
variants:
  without:
    environment: {skills: []}
  with:
    environment: {skills: [skills/deploy]}
```

```yaml file=eval.yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

```text file=skills/deploy/SKILL.md
---
name: deploy
description: Deploys.
---
Deploy.
```

## Instead
```yaml
name: skill-or-not
evals: [eval.yaml]
vary: [/environment/skills]
baseline: without
variants:
  without:
    environment: {skills: []}
  with:
    environment: {skills: [skills/deploy]}
```
"""

from collections.abc import Iterator

from waza_engine.checking.document import Document
from waza_engine.checking.experiments import matches_of
from waza_engine.findings import Finding, Rule, Severity

UNMATCHED_EVALS = Rule("unmatched-evals", "path or glob that matches no eval", Severity.WARNING)
APPLIES = {"vally": {"experiment"}}


def check(document: Document) -> Iterator[Finding]:
    """An error when the experiment has no eval at all."""
    found = matches_of(document)
    severity = Severity.WARNING if any(paths for _, _, paths in found) else Severity.ERROR
    for place, pattern, paths in found:
        if not paths and document.folder is not None:
            message = f"No eval matches '{pattern}' from {document.folder.name}/"
            yield UNMATCHED_EVALS.at(place, message, severity=severity)
