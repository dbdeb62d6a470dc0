"""Constraints at the top level of a spec.

## Why
Constraints belong to a stimulus. Depending on its version, vally ignores or refuses them at the top level.

## Example
```yaml
constraints: {max_turns: 5}
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    constraints: {max_turns: 5}
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator

from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Fix, InsertKey, RemoveKey, Rule
from waza_engine.project.document import Document

MISPLACED_CONSTRAINTS = Rule("misplaced-constraints", "constraints outside of a stimulus")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    if document.value("constraints") is None:
        return
    stimuli = [place for place, it in document.tasks() if "constraints" not in it]
    constraints = plain(document.value("constraints"))
    fixes = []
    if stimuli:
        moved = tuple(InsertKey(it, "constraints", constraints) for it in stimuli)
        title = "Move to the stimulus" if len(stimuli) == 1 else "Copy to each stimulus"
        fixes = [Fix(title, (*moved, RemoveKey(("constraints",))), preferred=True)]
    message = "'constraints' has no effect at the top level. Move it into a stimulus"
    yield MISPLACED_CONSTRAINTS.at(("constraints",), message, on="key", fixes=fixes)
