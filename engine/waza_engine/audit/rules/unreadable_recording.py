"""A recording that cannot be read, so the audit skips it.

## Why
The file is damaged, too large, no regular file, a link out of the folder, or from a newer version. What it should test is
not tested: a recording of a good trial gives no mutants, and a counter example is not graded.

## What to do
Write the recording again with `waza-lsp run --record recordings`, restore the file from your version control, or delete it.

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
      contains: [The next meeting is on 4 May]
```

```json file=recordings/counter/some-task.json
{"version": 1, "task": "some-task", "output": "The last meeting
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

```json file=recordings/counter/some-task.json
{"version": 1, "task": "some-task", "output": "The last meeting was on 4 May."}
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import UNREADABLE_RECORDING
from waza_engine.audit.placing import PlacedFinding, listed, place
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report the task with all files that were skipped."""
    problems = [it.shown for it in audit.unreadable]
    if problems:
        yield from place(UNREADABLE_RECORDING, None, audit, f"Recordings are skipped: {listed(problems)}")
