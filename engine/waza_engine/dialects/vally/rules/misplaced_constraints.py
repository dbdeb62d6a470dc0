"""Constraints for the whole spec.

## Why
Constraints belong to a stimulus. At the top of a spec they are discarded or refused, depending on the version.

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

MISPLACED_CONSTRAINTS = Rule("misplaced-constraints", "constraints that no stimulus has")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    if document.value("constraints") is None:
        return
    stimuli = [place for place, it in document.tasks() if "constraints" not in it]
    given = plain(document.value("constraints"))
    fixes = []
    if stimuli:
        moved = tuple(InsertKey(it, "constraints", given) for it in stimuli)
        title = "Move them to the stimulus" if len(stimuli) == 1 else "Give them to each stimulus"
        fixes = [Fix(title, (*moved, RemoveKey(("constraints",))), preferred=True)]
    message = "Constraints belong to a stimulus; here they have no effect"
    yield MISPLACED_CONSTRAINTS.at(("constraints",), message, on="key", fixes=fixes)
