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
    """A warning at most: evals may be made, or fetched, before the experiment runs."""
    for place, pattern, paths in matches_of(document):
        if not paths and document.folder is not None:
            yield UNMATCHED_EVALS.at(place, f"No eval matches '{pattern}' from {document.folder.name}/")
