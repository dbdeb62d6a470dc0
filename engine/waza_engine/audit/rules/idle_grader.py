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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

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
            if is_own(audit, it):
                chances = _Chances(it, audit)
                chances.add(audit)
                if message := chances.message():
                    yield from place(IDLE_GRADER, it, audit, message)


def check_shared(audits: Iterable[TaskAudit]) -> Iterator[tuple[int, PlacedFinding]]:
    """Yield the findings about graders of several tasks, with the number of the first: none of the tasks may need them."""
    by_place: dict[object, tuple[int, _Chances]] = {}
    for number, audit in enumerate(audits):
        for it in audit.graders:
            if audit.intent is Intent.WORK and not is_own(audit, it):
                key = it.path, it.pointer
                if key not in by_place:
                    by_place[key] = number, _Chances(it, replace(audit, attempts=()))
                by_place[key][1].add(audit)
    for number, chances in by_place.values():
        if message := chances.message():
            for placed in place(IDLE_GRADER, chances.grader, chances.first, message):
                yield number, placed


@dataclass(slots=True)
class _Chances:
    """What a grader could notice in its tasks, and what it noticed."""

    grader: GraderPlace
    first: TaskAudit
    tasks: int = 0
    mutants: int = 0
    read: int = 0
    """Mutants of which the grader reads what is broken."""
    noticed: dict[str, str] = field(default_factory=dict)
    is_tried: bool = False
    is_loose: bool = True

    def add(self, audit: TaskAudit) -> None:
        """Add a task."""
        name, mutants = self.grader.name, audit.mutants
        self.tasks += 1
        self.mutants += len(mutants)
        self.read += sum(name in it.observers for it in mutants)
        for it in audit.attempts:
            if it.status != "error" and name in it.failed_graders:
                self.noticed[it.name] = it.change
        self.is_tried |= bool(audit.trials)
        self.is_loose &= not audit.trials or name in audit.loose

    def message(self) -> str:
        """Return what is wrong with the grader, or ""."""
        grader, noticed = self.grader, self.noticed
        name = grader.name or grader.type
        if not grader.counts:
            return f"'{name}' weighs nothing: the task passes or fails without it"
        if grader.limits:
            is_idle = not noticed and self.is_loose and self.is_tried
            return f"'{name}' sets a limit that is too high: {_WITHIN}" if is_idle else ""
        if self.read < _ENOUGH or not noticed.keys() <= _CRUDE or (noticed and not grader.has_options):
            return ""
        of = f"{self.tasks} tasks" if self.tasks > 1 else f"'{self.first.task}'"
        none = f"None of {self.mutants} broken trials of {of} fails because of '{name}'"
        return f"{none}, only {' and '.join(noticed.values())}" if noticed else none
