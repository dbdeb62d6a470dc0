"""Files that the recorded agent wrote, and that no grader looks at.

## Why
The agent did its work in files, but the graders read only what it says. An agent that claims the same and writes nothing
passes as well.

## What to do
Add a grader that looks at the files: at their existence, their content, or the difference that they make.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in notes.txt.
graders:
  - type: text
    name: says-where
    config:
      contains: [are in notes.txt]
```

```json file=recordings/some-task.json
{"version": 1, "task": "some-task", "output": "My notes are in notes.txt", "files": {"notes.txt": "We meet again on 4 May."}}
```

## Instead
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in notes.txt.
graders:
  - type: text
    name: says-where
    config:
      contains: [are in notes.txt]
  - type: file
    name: notes
    config:
      content_patterns:
        - path: notes.txt
          must_match: [We meet again on 4 May]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import UNSEEN_WORK
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding, listed, place, unseen_files
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report the task, unless more than an agent that writes nothing passes."""
    files = unseen_files(audit)
    if audit.intent is Intent.WORK and files:
        message = f"The recorded agent wrote {listed(files)}, but no grader looks at files"
        yield from place(UNSEEN_WORK, None, audit, message)
