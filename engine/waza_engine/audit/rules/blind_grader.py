"""A grader that never looks at the agent's work.

## Why
It compares the prompt with the skill's description, for example. Its verdict is the same for every agent and every trial,
and it takes its share of the score.

## What to do
That can be what you want: as a test of the skill's description. Do not count it as a test of the agent, and add graders
that look at the answer, the tool calls or the files.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: trigger
    name: fits-the-skill
    config:
      skill_path: evals/skills/notes/SKILL.md
      mode: positive
      threshold: 0.1
  - type: text
    name: says-when
    config:
      contains: [The next meeting is on 4 May]
```

```markdown file=skills/notes/SKILL.md
---
name: notes
description: Takes notes of meetings. USE FOR - taking notes of a meeting.
---
Write down who said what.
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

from waza_engine.audit.codes import BLIND_GRADER
from waza_engine.audit.placing import PlacedFinding, place
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report graders that read only the prompt."""
    for it in audit.graders:
        if it.name in audit.blind:
            message = f"'{it.name or it.type}' reads only the prompt: its verdict is the same whatever the agent does"
            yield from place(BLIND_GRADER, it, audit, message)
