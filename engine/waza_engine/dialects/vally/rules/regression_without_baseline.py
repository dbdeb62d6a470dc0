"""A regression eval without a baseline.

## Why
`type: regression` means that you compare the results with an earlier run. A spec cannot name that run; pass it to
`vally compare --baseline`. vally's own check warns about every such spec, so this is only a reminder.

## Example
```yaml
type: regression
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
type: capability
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

REGRESSION_WITHOUT_BASELINE = Rule(
    "regression-without-baseline", "regression eval without a baseline", Severity.INFORMATION
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    if document.value("type") == "regression":
        message = "A 'regression' eval needs a baseline. Compare the run with an earlier one: vally compare --baseline"
        yield REGRESSION_WITHOUT_BASELINE.at(("type",), message)
