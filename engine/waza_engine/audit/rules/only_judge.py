"""A task that only a judge or a program keeps from passing without work.

## Why
All other graders pass for an agent that does nothing. The audit asks no judge and starts no program, so it cannot tell
whether this one would notice. A judge that is lenient, or down, decides alone.

## What to do
Add a free check for what the finished work must have. Or let the audit ask: `waza-lsp audit --with-programs`, or
`--with-judges --max-tokens 20000`.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: prompt
    name: good-notes
    config:
      prompt: Are these good notes of the meeting? Call set_waza_grade_pass or set_waza_grade_fail.
      continue_session: false
```

## Instead
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: prompt
    name: good-notes
    config:
      prompt: Are these good notes of the meeting? Call set_waza_grade_pass or set_waza_grade_fail.
      continue_session: false
  - type: text
    name: says-when
    config:
      contains: [The next meeting is on 4 May]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import ONLY_JUDGE
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding, place
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report the last grader that was not asked, if the others pass without work."""
    if audit.intent is Intent.WORK and audit.left_out and (audit.undecided or not audit.graders):
        judge = audit.left_out[-1]
        message = f"Only '{judge.name or judge.type}' keeps an agent that does no work from passing this task"
        yield from place(ONLY_JUDGE, judge, audit, message)
