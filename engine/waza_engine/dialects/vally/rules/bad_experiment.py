"""An experiment that cannot be planned.

## Why
vally applies each variant to the specs and compares the results with the baseline. The baseline must be one of the
variants, and the variants may differ only in the paths that `vary` lists; otherwise you could not tell what made the
difference. `vary` is a list of JSON pointers into the specs, below `/defaults` (settings) and `/environment`.

With `matrix`, the arms are all combinations of its values, and they differ in the paths of its axes. `vary` must be
absent, and the baseline needs a value for each axis. `waza-lsp run` refuses the same mistakes.

## Example
```yaml
name: models
evals: [notes.vally.yaml]
vary: [/defaults/model]
baseline: smal
variants:
  small: {overrides: {model: gpt-5-mini}}
  large: {overrides: {model: gpt-5.2}}
```

```yaml file=notes.vally.yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
name: models
evals: [notes.vally.yaml]
vary: [/defaults/model]
baseline: small
variants:
  small: {overrides: {model: gpt-5-mini}}
  large: {overrides: {model: gpt-5.2}}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.experiments import problem_findings, spec_data_of_evals
from waza_engine.dialects.vally.experiments.arms import SETTINGS, pointer_text
from waza_engine.dialects.vally.experiments.problems import (
    arm_problems,
    baseline_problems,
    matrix_problems,
    path_problems,
    undeclared_differences,
)
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import AppendItem, Finding, Fix, Rule
from waza_engine.project.document import Document

BAD_EXPERIMENT = Rule(
    "bad-experiment",
    "experiment that cannot be planned",
    needs=frozenset(["variants", "matrix", "vary", "baseline"]),
)
APPLIES = frozenset(["experiment"])


def check(document: Document) -> Iterator[Finding]:
    data = document.mapping()
    yield from problem_findings(BAD_EXPERIMENT, matrix_problems(data), removable=True)
    if document.mapping("variants") and document.mapping("matrix"):
        return  # It is unknown which of the two is meant.
    paths = list(path_problems(data, SETTINGS))
    yield from problem_findings(BAD_EXPERIMENT, paths)
    # The schema reports that there must be two variants.
    yield from problem_findings(
        BAD_EXPERIMENT, (it for it in arm_problems(data) if it.pointer != ("variants",))
    )
    yield from problem_findings(BAD_EXPERIMENT, baseline_problems(data))
    # It is unknown what a broken path was meant to allow.
    if not paths and all(text.startswith("/") for _, text in document.texts("vary")):
        yield from _differences(document)


def _differences(document: Document) -> Iterator[Finding]:
    reported: set[tuple[Pointer, tuple[str, ...]]] = set()
    for spec in spec_data_of_evals(document) or [{}]:
        for it in undeclared_differences(document.mapping(), spec):
            # The contents of a named environment are unknown here.
            if (it.pointer, it.path) in reported or it.path == ("environment",):
                continue
            reported.add((it.pointer, it.path))
            place = pointer_text(it.path)
            fix = Fix(f"Add {place} to 'vary'", (AppendItem(("vary",), place),))
            message = f"'{it.arm.name}' differs from the baseline in {place}. Add this path to 'vary'"
            yield BAD_EXPERIMENT.at(it.pointer, message, on="key", fixes=[fix])
