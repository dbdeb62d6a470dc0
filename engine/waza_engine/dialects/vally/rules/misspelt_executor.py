"""An executor whose name is probably misspelt.

## Why
Plug-ins can add executors with any name, so vally notices a wrong name only when the run starts.

## Example
```yaml
name: notes
defaults: {executor: copilot_sdk}
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```

## Instead
```yaml
name: notes
defaults: {executor: copilot-sdk}
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.formats.settings import EXECUTORS
from waza_engine.lib.spelling import is_likely_typo, nearest
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

MISSPELT_EXECUTOR = Rule("misspelt-executor", "executor whose name is probably misspelt", Severity.WARNING)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for section in ("defaults", "config"):
        place = (section, "executor")
        pointer = (*place, "name") if isinstance(document.value(*place), dict) else place
        name = document.text(*pointer)
        if name and name not in EXECUTORS and is_likely_typo(name, EXECUTORS):
            meant = nearest(name, EXECUTORS, most=1)[0]
            fix = Fix(f"Change to '{meant}'", (SetValue(pointer, meant),), preferred=True)
            message = f"Unknown executor '{name}'. Did you mean '{meant}'?"
            yield MISSPELT_EXECUTOR.at(pointer, message, fixes=[fix])
