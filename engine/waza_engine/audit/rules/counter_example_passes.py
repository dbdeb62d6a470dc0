"""A recording that must fail, and passes.

## Why
The files in `recordings/counter/` are trials that the eval must not let pass. One of them passes with the graders as they
are now. A change made them weaker, or they never noticed what is wrong with it.

## What to do
Open the file, see what is wrong with the work in it, and add or sharpen the grader that must notice. If the trial is fine
after all, delete the file.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: text
    name: says-when
    config:
      contains: [4 May]
```

```json file=recordings/counter/some-task.json
{"version": 1, "task": "some-task", "output": "The last meeting was on 4 May."}
```

## Instead
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: text
    name: says-when
    config:
      contains: [The next meeting is on 4 May]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import COUNTER_EXAMPLE_PASSES
from waza_engine.audit.placing import PlacedFinding, listed, place
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report the task, whatever it wants: its author keeps these files because they must fail."""
    names = [f"recordings/counter/{it.name}" for it in audit.passing_counter_examples]
    if names:
        message = f"Counter examples must fail, but pass: {listed(names)}"
        yield from place(COUNTER_EXAMPLE_PASSES, None, audit, message)
