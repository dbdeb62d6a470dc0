"""A grader type without a weight, although other types have one.

## Why
If a spec has weights, a grader type that is not listed does not count in the score. A trial can reach the threshold
even if these graders fail.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
      - type: completed
scoring:
  weights: {output-contains: 1.0}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
      - type: completed
scoring:
  weights: {output-contains: 0.8, completed: 0.2}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import grader_types
from waza_engine.model.findings import Finding, Fix, InsertKey, Rule, Severity
from waza_engine.project.document import Document

SCORING_WEIGHT_COVERAGE = Rule(
    "scoring-weight-coverage", "grader type without a weight", Severity.WARNING, needs=frozenset(["scoring"])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    place = ("scoring", "weights")
    weights = document.mapping(*place)
    used = grader_types(document)
    missing = [it for it in used if it not in weights]
    # A weight for an unused type is probably meant for one of these; another rule reports it.
    if missing and weights and set(weights) <= set(used):
        names = ", ".join(f"'{it}'" for it in missing)
        fix = Fix(f"Add {names}", tuple(InsertKey(place, it, 0.0) for it in missing))
        message = f"'weights' does not list {names}, so these graders do not count in the score"
        yield SCORING_WEIGHT_COVERAGE.at(place, message, on="key", fixes=[fix])
