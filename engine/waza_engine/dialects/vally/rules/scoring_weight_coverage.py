"""A grader type without a weight, where other types have one.

## Why
With weights, a type that is not listed does not count in the score: its graders only seem to check something. The spec's threshold is then reached without them.

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
    # A weight for a type that is not used is most likely meant for one of these: that is said there.
    if missing and weights and set(weights) <= set(used):
        named = ", ".join(f"'{it}'" for it in missing)
        fix = Fix(f"Add {named}", tuple(InsertKey(place, it, 0.0) for it in missing))
        message = f"No weight for {named}: such graders do not count in the score"
        yield SCORING_WEIGHT_COVERAGE.at(place, message, on="key", fixes=[fix])
