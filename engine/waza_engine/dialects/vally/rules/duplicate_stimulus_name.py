"""A name that two stimuli of a spec share.

## Why
vally pairs trials across runs by stimulus name and trial number, so it refuses the spec.

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

DUPLICATE_STIMULUS_NAME = Rule("duplicate-stimulus-name", "name that two stimuli share")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    taken = {str(it.get("name")) for _, it in document.tasks()}
    for pointer, value, others in duplicate_texts(document, "name"):
        free = free_name(value, taken)
        fix = Fix(f"Change to '{free}'", (SetValue(pointer, free),), preferred=True)
        message = f"Another stimulus is also named '{value}', so vally refuses the spec"
        yield DUPLICATE_STIMULUS_NAME.at(pointer, message, related=others, fixes=[fix])
