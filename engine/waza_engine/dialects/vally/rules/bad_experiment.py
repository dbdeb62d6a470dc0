"""An experiment that cannot be planned.

## Why
vally lays each variant over the specs and then compares them with the baseline. That needs a baseline that is one of
the variants, and variants that differ only in what `vary` lists: otherwise nobody could say what made the difference.
`vary` is a list of JSON pointers into the specs, below `/defaults` for their settings and below `/environment`.

With `matrix` the arms are all combinations of its values, and they differ in the paths of its axes; `vary` must be absent,
and the baseline has a value for each axis. `waza-lsp run` refuses the same things.

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
        return  # Which of the two is meant, nobody knows.
    paths = list(path_problems(data, SETTINGS))
    yield from problem_findings(BAD_EXPERIMENT, paths)
    # That two variants are needed says the schema.
    yield from problem_findings(
        BAD_EXPERIMENT, (it for it in arm_problems(data) if it.pointer != ("variants",))
    )
    yield from problem_findings(BAD_EXPERIMENT, baseline_problems(data))
    # What a broken path was meant to allow is not known.
    if not paths and all(text.startswith("/") for _, text in document.texts("vary")):
        yield from _differences(document)


def _differences(document: Document) -> Iterator[Finding]:
    told: set[tuple[Pointer, tuple[str, ...]]] = set()
    for spec in spec_data_of_evals(document) or [{}]:
        for it in undeclared_differences(document.mapping(), spec):
            # What the name of an environment stands for is not known here.
            if (it.pointer, it.path) in told or it.path == ("environment",):
                continue
            told.add((it.pointer, it.path))
            place = pointer_text(it.path)
            fix = Fix(f"Add {place} to 'vary'", (AppendItem(("vary",), place),))
            message = f"'{it.arm.name}' differs from the baseline in {place}, which 'vary' does not list"
            yield BAD_EXPERIMENT.at(it.pointer, message, on="key", fixes=[fix])
