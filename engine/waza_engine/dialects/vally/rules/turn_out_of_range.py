"""A turn that the conversation does not have.

## Why
`turn` counts from 0. A grader for a turn that there is not has nothing to look at. Beside `prompt` there is one turn only:
there, `turn: 0` says nothing.

## Example
```yaml
stimuli:
  - name: two-questions
    turns: [What does deploy.sh do?, And rollback.sh?]
    graders:
      - type: output-contains
        turn: 2
        config: {substring: restores}
```

## Instead
```yaml
stimuli:
  - name: two-questions
    turns: [What does deploy.sh do?, And rollback.sh?]
    graders:
      - type: output-contains
        turn: 1
        config: {substring: restores}
```
"""

from collections.abc import Iterator

from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import HERE, Finding, Fix, RemoveKey, Rule, SetValue, Severity
from waza_engine.project.document import Document

TURN_OUT_OF_RANGE = Rule(
    "turn-out-of-range", "turn that the conversation does not have", Severity.WARNING, needs=frozenset([HERE])
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for stimulus, data in document.tasks():
        turns = data.get("turns")
        count = len(turns) if isinstance(turns, list) else 1
        for place, grader in document.mappings(*stimulus, "graders"):
            turn = plain(grader.get("turn"))
            if not isinstance(turn, int) or isinstance(turn, bool):
                continue
            fixes = [Fix("Remove 'turn'", (RemoveKey((*place, "turn")),))]
            if 0 <= turn < count:
                # A conversation may grow; a prompt is no conversation.
                if turns is None and "prompt" in data:
                    message = "There is one turn only, the prompt: 'turn' says nothing here"
                    yield TURN_OUT_OF_RANGE.at(
                        (*place, "turn"), message, on="key", severity=Severity.HINT, fixes=fixes
                    )
                continue
            if count > 1:
                last = Fix(f"Change to {count - 1}, the last turn", (SetValue((*place, "turn"), count - 1),))
                fixes.insert(0, last)
            said = f"The turns are 0 to {count - 1}" if count > 1 else "There is one turn only, number 0"
            yield TURN_OUT_OF_RANGE.at((*place, "turn"), f"{said}: nothing is graded here", fixes=fixes)
