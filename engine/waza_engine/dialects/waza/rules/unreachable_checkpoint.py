"""A checkpoint after a turn that does not exist.

## Why
Turn 1 is the prompt, and each follow-up prompt adds one turn. Without a responder there are no other turns, so the
checkpoint's graders never run.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  follow_up_prompts: [And goodbye.]
checkpoints:
  - after_turn: 3
    graders:
      - type: text
        name: polite
        config:
          contains: [please]
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  follow_up_prompts: [And goodbye.]
checkpoints:
  - after_turn: 2
    graders:
      - type: text
        name: polite
        config:
          contains: [please]
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import HERE, Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

UNREACHABLE_CHECKPOINT = Rule(
    "unreachable-checkpoint",
    "checkpoint that is never reached",
    Severity.WARNING,
    needs=frozenset(["inputs", HERE]),
)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks_with("checkpoints"):
        inputs = document.mapping(*task, "inputs")
        follow_ups, responder = inputs.get("follow_up_prompts") or [], inputs.get("responder")
        if not isinstance(follow_ups, list):
            continue
        most = responder.get("max_followups") if isinstance(responder, dict) else 0
        if not isinstance(most, int) or (responder is not None and not isinstance(responder, dict)):
            continue
        last = 1 + len(follow_ups) + most
        for pointer, checkpoint in document.mappings(*task, "checkpoints"):
            turn = checkpoint.get("after_turn")
            if isinstance(turn, int) and not isinstance(turn, bool) and turn > last:
                place = (*pointer, "after_turn")
                message = f"This checkpoint is never reached: the last turn is {last}, not {turn}"
                fix = Fix(f"Change to {last}", (SetValue(place, last),))
                yield UNREACHABLE_CHECKPOINT.at(place, message, fixes=[fix])
