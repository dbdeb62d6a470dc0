"""Weights that do not add up to 1.

## Why
Since vally 0.7, the weights of a spec must add up to 1.0. vally refuses other sums when it checks the spec, also
before a run. waza-lsp itself runs and grades such a spec, and divides by the sum.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  weights: {output-contains: 0.5}
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

import math
from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import numbers
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

SCORING_WEIGHT_SUM = Rule(
    "scoring-weight-sum", "weights that do not add up to 1", needs=frozenset(["scoring"])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    place = ("scoring", "weights")
    weights = numbers(document.mapping(*place))
    total = sum(weights.values())
    if not weights or len(weights) < len(document.mapping(*place)) or math.isclose(total, 1, abs_tol=1e-6):
        return
    fixes = []
    if total > 0 and min(weights.values()) >= 0:
        shares = _shares(weights, total)
        changes = tuple(SetValue((*place, name), it) for name, it in shares.items() if it != weights[name])
        numbers_text = ", ".join(f"{it:g}" for it in shares.values())
        fixes = [Fix(f"Keep the proportions: {numbers_text}", changes, preferred=True)]
    message = f"The weights add up to {total:g}, but vally requires a sum of 1 since version 0.7"
    # Specs with `config` are usually from before 0.7, and vally's tolerance is unknown.
    is_sure = not document.has("config") and not math.isclose(total, 1, abs_tol=_ROUNDING)
    severity = Severity.ERROR if is_sure else Severity.WARNING
    yield SCORING_WEIGHT_SUM.at(place, message, on="key", severity=severity, fixes=fixes)


_ROUNDING = 0.01
"""The tolerance for rounded shares, such as three times 0.33."""


def _shares(weights: dict[str, float], total: float) -> dict[str, float]:
    """Return rounded shares that add up to exactly 1; the largest absorbs the rounding error."""
    shares = {name: round(it / total, 3) for name, it in weights.items()}
    largest = max(shares, key=lambda it: shares[it])
    shares[largest] = round(shares[largest] + 1 - sum(shares.values()), 3)
    return shares
