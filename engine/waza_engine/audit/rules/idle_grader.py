r"""A grader that fails for none of the broken trials that it could have noticed.

## Why
The audit broke recorded trials in many ways. This grader read what was broken in at least five of them, and passed each
time. It may forbid something that no agent does, or ask for something that every answer has.

## What to do
Ask what would have to go wrong for this grader to fail. If you find nothing, remove it, or make it stricter.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Tells the result
inputs:
  prompt: Run the tests, and say how many fail.
graders:
  - type: text
    name: tells-the-result
    config:
      contains: ["12 tests pass, 1 fails", "It is test_login"]
  - type: text
    name: stays-calm
    config:
      not_contains: [disaster]
```

```json file=recordings/some-task.json
{"version": 1, "task": "some-task", "output": "12 tests pass, 1 fails.\n\nIt is test_login."}
```

```json file=recordings/some-task.2.json
{"version": 1, "task": "some-task", "output": "I ran them: 12 tests pass, 1 fails.\n\nIt is test_login."}
```

## Instead
```yaml file=tasks/some-task.yaml
id: some-task
name: Tells the result
inputs:
  prompt: Run the tests, and say how many fail.
graders:
  - type: text
    name: tells-the-result
    config:
      contains: ["12 tests pass, 1 fails", "It is test_login"]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import IDLE_GRADER
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding, place
from waza_engine.audit.score import TaskAudit, grader_powers

_ENOUGH = 5
"""So many mutants must a grader have read."""


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report graders that had enough chances, and notice nothing."""
    if audit.intent is not Intent.WORK or len(audit.mutants) < _ENOUGH:
        return
    read = [name for it in audit.mutants for name in it.observers]
    for it in grader_powers(audit):
        if not it.kills and read.count(it.grader.name) >= _ENOUGH:
            message = (
                f"None of {len(audit.mutants)} broken trials of '{audit.task}' fails because of "
                f"'{it.grader.name or it.grader.type}'"
            )
            yield from place(IDLE_GRADER, it.grader, audit, message)
