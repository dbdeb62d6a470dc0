"""A name that two stimuli of a spec have.

## Why
Trials are paired across runs by the name of the stimulus and the number of the trial; vally refuses the spec.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
  - name: explains-the-script
    prompt: Explain what rollback.sh does.
    graders:
      - type: output-contains
        config: {substring: restores}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
  - name: explains-the-rollback
    prompt: Explain what rollback.sh does.
    graders:
      - type: output-contains
        config: {substring: restores}
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Fix, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.project.names import duplicate_texts, free_name

DUPLICATE_STIMULUS_NAME = Rule("duplicate-stimulus-name", "name that two stimuli have")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    taken = {str(it.get("name")) for _, it in document.tasks()}
    for pointer, value, others in duplicate_texts(document, "name"):
        free = free_name(value, taken)
        fix = Fix(f"Change to '{free}'", (SetValue(pointer, free),), preferred=True)
        message = f"Another stimulus has the name '{value}'; trials could not be told apart"
        yield DUPLICATE_STIMULUS_NAME.at(pointer, message, related=others, fixes=[fix])
