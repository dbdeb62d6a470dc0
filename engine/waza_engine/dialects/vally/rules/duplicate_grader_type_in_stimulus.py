"""Several graders of one weighted type in the same stimulus.

## Why
Weights are per grader type. Each of these graders counts with the full weight of the type, so the type counts more in
this stimulus than its weight says. Most specs mean it so: the rule is off, and reports only the first
such grader of a spec.

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
    "duplicate-grader-type-in-stimulus", "graders that share a weight", Severity.HINT, opt_in=True
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    weights = document.mapping("scoring", "weights")
    for stimulus, _ in document.tasks() if weights else ():
        graders = list(document.mappings(*stimulus, "graders"))
        counts = Counter(str(it.get("type")) for _, it in graders)
        for place, grader in graders:
            kind = str(grader.get("type"))
            if kind in weights and counts[kind] > 1:
                message = (
                    f"Each of the {counts[kind]} '{kind}' graders counts with the full weight of the type"
                )
                yield DUPLICATE_GRADER_TYPE_IN_STIMULUS.at((*place, "type"), message)
                return
