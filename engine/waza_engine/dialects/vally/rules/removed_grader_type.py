"""A grader type that vally has removed.

## Why
vally 0.9 removed `pairwise` and refuses specs that use it. To compare two runs, use
`vally compare --baseline A --treatment B`.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
      - type: pairwise
        config: {prompt: Which answer explains more?}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
      - type: prompt
        config: {prompt: Which answer explains more?}
```
"""

from collections.abc import Iterator

from waza_engine.graders.registry import current_grader
from waza_engine.model.findings import Finding, Fix, RemoveKey, Rule, SetValue
from waza_engine.project.document import Document

REMOVED_GRADER_TYPE = Rule(
    "removed-grader-type", "grader type that vally has removed", tags=frozenset(["deprecated"])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for place, grader in document.graders():
        kind = current_grader(document.dialect, str(grader.get("type")))
        if kind is not None and kind.outdated:
            pointer = (*place, "type")
            remove = Fix("Remove the grader", (RemoveKey(place),))
            change = Fix(
                f"Change to '{kind.successor}'", (SetValue(pointer, kind.successor),), preferred=True
            )
            yield REMOVED_GRADER_TYPE.at(pointer, kind.outdated, fixes=[change, remove])
