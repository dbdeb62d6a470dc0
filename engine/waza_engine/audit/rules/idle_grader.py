r"""A grader that fails for none of the broken trials that it could have noticed.

## Why
The audit broke recorded trials in many ways. This grader read what was broken in at least five of them, and passed each
time. It may forbid something that no agent does, or ask for something that every answer has, or that is there before the agent
starts. So may a grader that only notices an agent that says nothing, or one that deletes all files.

The same is reported of graders that weigh nothing, and of limits that are too high: a hundred times the recorded calls,
tokens and time are within them.

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

from collections.abc import Iterator, Sequence

from waza_engine.audit.codes import IDLE_GRADER
from waza_engine.audit.intent import Intent
from waza_engine.audit.limits import TIMES
from waza_engine.audit.null_agents import EMPTIED, SILENCE
from waza_engine.audit.placing import PlacedFinding, is_own, place
from waza_engine.audit.score import GraderPlace, TaskAudit

_ENOUGH = 5
"""So many mutants must a grader have read."""
_CRUDE = frozenset([SILENCE, EMPTIED])
"""Null agents that nearly every grader notices."""

_WITHIN = f"{TIMES} times the recorded calls, tokens and time are within it"


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report graders of the task that had enough chances, and notice nothing."""
    if audit.intent is Intent.WORK:
        for it in audit.graders:
            if is_own(audit, it) and (message := _message(it, [audit], f"'{audit.task}'")):
                yield from place(IDLE_GRADER, it, audit, message)


def check_shared(audits: Sequence[TaskAudit]) -> Iterator[tuple[TaskAudit, PlacedFinding]]:
    """Yield the findings about graders of several tasks, with the first of these: none of the tasks may need them."""
    by_place: dict[object, list[tuple[GraderPlace, TaskAudit]]] = {}
    for audit in audits:
        for it in audit.graders:
            if audit.intent is Intent.WORK and not is_own(audit, it):
                by_place.setdefault((it.path, it.pointer), []).append((it, audit))
    for (grader, first), *others in by_place.values():
        of = f"{len(others) + 1} tasks" if others else f"'{first.task}'"
        if message := _message(grader, [first, *(audit for _, audit in others)], of):
            for placed in place(IDLE_GRADER, grader, first, message):
                yield first, placed


def _message(grader: GraderPlace, audits: Sequence[TaskAudit], of: str) -> str:
    """Return what is wrong with a grader of these tasks, or ""."""
    name = grader.name or grader.type
    if not grader.counts:
        return f"'{name}' weighs nothing: the task passes or fails without it"
    noticed = {
        it.name: it.change
        for audit in audits
        for it in audit.attempts
        if it.status != "error" and grader.name in it.failed_graders
    }
    if grader.limits:
        is_idle = not noticed and all(not it.trials or grader.name in it.loose for it in audits)
        is_tried = any(it.trials for it in audits)
        return f"'{name}' sets a limit that is too high: {_WITHIN}" if is_idle and is_tried else ""
    read = sum(grader.name in it.observers for audit in audits for it in audit.mutants)
    if read < _ENOUGH or not noticed.keys() <= _CRUDE or (noticed and not grader.has_options):
        return ""
    count = sum(len(it.mutants) for it in audits)
    none = f"None of {count} broken trials of {of} fails because of '{name}'"
    return f"{none}, only {' and '.join(noticed.values())}" if noticed else none
