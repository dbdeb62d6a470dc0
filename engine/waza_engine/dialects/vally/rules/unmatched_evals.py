"""A path or glob of an experiment, or of a suite in `.vally.yaml`, that matches no eval.

## Why
An experiment runs the evals that its paths and globs match. A missing eval goes unnoticed, and without any eval there
is nothing to run. Paths are relative to the experiment. The same applies to the suites of a project; their globs are
resolved from the project's folder and from the folders under `paths.evals`.

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
_DEFAULT_FOLDER = "evals"


def check(document: Document) -> Iterator[Finding]:
    """Warn only: evals may be generated or fetched before the experiment runs."""
    if document.kind == "project":
        yield from _suites(document)
        return
    for place, pattern, paths in matching_evals(document):
        if not paths and document.folder is not None:
            yield UNMATCHED_EVALS.at(place, f"No eval matches '{pattern}' in {document.folder.name}/")


def _suites(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None:
        return
    listed = [it for _, it in document.texts("paths", "evals")]
    folders = listed or [document.text("paths", "evals") or _DEFAULT_FOLDER]
    starts = [folder, *(folder / it for it in folders)]
    for suite in document.mapping("suites"):
        for place, pattern in document.texts("suites", suite, "evals"):
            # A pattern that begins with '!' excludes files and need not match any.
            if not pattern or pattern.startswith("!") or has_placeholder(pattern):
                continue
            if not any(matching_specs(pattern, it, document.files) for it in starts):
                yield UNMATCHED_EVALS.at(place, f"No eval matches '{pattern}' in {folder.name}/")
