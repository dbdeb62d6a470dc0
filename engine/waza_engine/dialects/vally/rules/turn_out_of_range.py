"""A turn number that the conversation does not have.

## Why
`turn` counts from 0. A grader for a turn that does not exist has nothing to grade. A stimulus with `prompt` has only
one turn, so `turn: 0` has no effect there.

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
    "turn-out-of-range",
    "turn number that the conversation does not have",
    Severity.WARNING,
    needs=frozenset([HERE]),
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
                # A conversation may grow; a single prompt is not a conversation.
                if turns is None and "prompt" in data:
                    message = "'turn' has no effect: a stimulus with 'prompt' has only one turn"
                    yield TURN_OUT_OF_RANGE.at(
                        (*place, "turn"), message, on="key", severity=Severity.HINT, fixes=fixes
                    )
                continue
            if count > 1:
                last = Fix(f"Change to {count - 1}, the last turn", (SetValue((*place, "turn"), count - 1),))
                fixes.insert(0, last)
            existing = f"the turns are 0 to {count - 1}" if count > 1 else "the only turn is 0"
            message = f"There is no turn {turn}, so this grader grades nothing: {existing}"
            yield TURN_OUT_OF_RANGE.at((*place, "turn"), message, fixes=fixes)
