"""Several graders of one type in a stimulus, where the type has a weight.

## Why
Weights are by type: each of the graders counts with the full weight of its type, so the type counts more in this stimulus than its number says.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
      - type: output-contains
        config: {substring: production}
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
scoring:
  weights: {output-contains: 1.0}
```
"""

from collections import Counter
from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

DUPLICATE_GRADER_TYPE_IN_STIMULUS = Rule(
    "duplicate-grader-type-in-stimulus", "graders that share a weight", Severity.HINT
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    weights = document.mapping("scoring", "weights")
    for stimulus, _ in document.tasks() if weights else ():
        graders = list(document.mappings(*stimulus, "graders"))
        counts = Counter(str(it.get("type")) for _, it in graders)
        told: set[str] = set()
        for place, grader in graders:
            kind = str(grader.get("type"))
            if kind in weights and counts[kind] > 1 and kind not in told:
                told.add(kind)
                message = f"{counts[kind]} graders here are '{kind}'; each counts with the weight of the type"
                yield DUPLICATE_GRADER_TYPE_IN_STIMULUS.at((*place, "type"), message)
