"""A weight for a grader type that no stimulus uses.

## Why
The keys of `scoring.weights` are grader types, not grader names. vally refuses any other key.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  weights: {output-contain: 1.0}
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

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import grader_types
from waza_engine.graders.registry import current_grader
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import HERE, Finding, Fix, RenameKey, Rule
from waza_engine.project.document import Document

INVALID_SCORING_WEIGHT_KEY = Rule(
    "invalid-scoring-weight-key",
    "weight for a grader type that is not used",
    needs=frozenset(["stimuli", "graders", HERE]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    used, place = grader_types(document), ("scoring", "weights")
    weights = document.mapping(*place)
    # A misspelt grader type is reported at the grader.
    unknown = [it for it in used if current_grader(document.dialect, it) is None]
    for key in weights if used else ():
        if key in used or nearest(key, unknown):
            continue
        free = [it for it in used if it not in weights]
        fixes = [Fix(f"Change to '{it}'", (RenameKey((*place, key), it),)) for it in nearest(key, free)]
        message = f"No grader has the type '{key}'. The keys of 'weights' are grader types, and vally refuses others"
        yield INVALID_SCORING_WEIGHT_KEY.at((*place, key), message, on="key", fixes=fixes)
