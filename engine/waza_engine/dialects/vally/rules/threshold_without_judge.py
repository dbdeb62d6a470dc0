"""A threshold that a trial reaches even if the judge gives the lowest score.

## Why
The score is the weighted mean of all graders. If the graders without a judge have enough weight to reach the threshold,
a trial passes even with the judge's lowest score.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: completed
      - type: prompt
        config: {prompt: Is every step named?}
scoring:
  weights: {completed: 0.5, prompt: 0.5}
  threshold: 0.5
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: completed
      - type: prompt
        config: {prompt: Is every step named?}
scoring:
  weights: {completed: 0.5, prompt: 0.5}
  threshold: 0.8
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import asks_judge, numbers
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.model.results.threshold import reaches
from waza_engine.project.document import Document

THRESHOLD_WITHOUT_JUDGE = Rule(
    "threshold-without-judge",
    "threshold that a trial reaches without the judge",
    Severity.HINT,
    needs=frozenset(["scoring", "stimuli"]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    threshold = plain(document.value("scoring", "threshold"))
    if not isinstance(threshold, int | float) or threshold <= 0:
        return
    weights = numbers(document.mapping("scoring", "weights"))
    for stimulus, data in document.tasks():
        graders = [it for _, it in document.mappings(*stimulus, "graders")]
        counted = [(it, weights.get(str(it.get("type")), 0.0) if weights else 1.0) for it in graders]
        total = sum(weight for _, weight in counted)
        without = sum(weight for it, weight in counted if not asks_judge(document, it))
        if without < total and total > 0 and reaches(without / total, threshold):
            message = f"'{plain(data.get('name'))}' passes with a score of {without / total:.2f} even if the judge gives 0"
            related = [(stimulus, "this stimulus")]
            yield THRESHOLD_WITHOUT_JUDGE.at(("scoring", "threshold"), message, related=related)
            return
