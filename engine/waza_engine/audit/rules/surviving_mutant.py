"""A grader that reads broken work and passes.

## Why
The audit breaks recorded trials that pass: it drops a tool call, truncates a file, cuts the last paragraph of the answer,
changes the numbers. This grader reads what was broken, and no grader fails. The hover shows each difference.

It is silent if a grader was left out that may notice the difference, such as a judge. It is silent, too, if the task passes
for an agent that does no work: the finding `passes-without-work` says that already.

## What to do
Decide for each whether a good eval must notice it. If so, sharpen this grader, or let the code action *Add a check that
tells them apart* draft one. If not, leave it: not every difference matters.

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
      contains: [12 tests]
```

```json file=recordings/some-task.json
{"version": 1, "task": "some-task", "output": "12 tests pass, 1 fails."}
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
      contains: ["12 tests pass, 1 fails"]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import SURVIVING_MUTANT
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding, listed, place, unseen_files
from waza_engine.audit.score import Attempt, TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report each grader with the mutants that it could have noticed."""
    if audit.intent is not Intent.WORK or audit.left_out or (audit.accused and not unseen_files(audit)):
        return
    by_grader: dict[str, list[Attempt]] = {}
    for it in audit.survivors:
        by_grader.setdefault(_nearest_observer(audit, it), []).append(it)
    graders = {it.name: it for it in audit.graders}
    for name, attempts in by_grader.items():
        changes = list(dict.fromkeys(it.change for it in attempts))
        message = f"Broken work passes: {listed(changes)}"
        yield from place(SURVIVING_MUTANT, graders.get(name), audit, message)


def _nearest_observer(audit: TaskAudit, survivor: Attempt) -> str:
    """Return the grader nearest to the task that reads what is broken."""
    own = [it.name for it in audit.graders if it.path == audit.path]
    return next((it for it in (*own, *survivor.observers) if it in survivor.observers), "")
