"""A path or glob of an experiment, or of a suite in `.vally.yaml`, that matches no eval.

## Why
The experiment is run over the evals that are found: one that is missed goes unnoticed, and without any there is nothing to
run. Paths start at the experiment. The same holds for the suites of a project, whose globs are tried from its folder and
from those under `paths.evals`.

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

from waza_engine.dialects.vally.checks.experiments import matching_evals
from waza_engine.dialects.vally.experiments.globs import matching_specs
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

UNMATCHED_EVALS = Rule("unmatched-evals", "path or glob that matches no eval", Severity.WARNING)
APPLIES = frozenset(["experiment", "project"])
_USUAL = "evals"


def check(document: Document) -> Iterator[Finding]:
    """A warning at most: evals may be made, or fetched, before the experiment runs."""
    if document.kind == "project":
        yield from _of_suites(document)
        return
    for place, pattern, paths in matching_evals(document):
        if not paths and document.folder is not None:
            yield UNMATCHED_EVALS.at(place, f"No eval matches '{pattern}' from {document.folder.name}/")


def _of_suites(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None:
        return
    named = [it for _, it in document.texts("paths", "evals")] or [document.text("paths", "evals") or _USUAL]
    starts = [folder, *(folder / it for it in named)]
    for suite in document.mapping("suites"):
        for place, pattern in document.texts("suites", suite, "evals"):
            # What begins with '!' takes files away, and need not find any.
            if not pattern or pattern.startswith("!") or has_placeholder(pattern):
                continue
            if not any(matching_specs(pattern, it, document.files) for it in starts):
                yield UNMATCHED_EVALS.at(place, f"No eval matches '{pattern}' from {folder.name}/")
