"""A task that passes for an agent that does no work.

## Why
The audit grades agents that say nothing, say only "Done.", refuse, repeat the prompt, recite the skill, or claim success
without touching a file. If one of them passes, the task says nothing about a real agent: it is green whatever happens.

## What to do
Add a check for something that only the finished work has: a file with the right content, a fact in the answer that is not
in the prompt, the command that was called. The code action *Add a check that tells them apart* drafts one from a recorded
run and proves it.

Tasks that want a refusal, or that nothing happens, are not reported. The audit knows them by their own words:

- tags such as `negative` or `safety`, and names such as `should-not-trigger-on-weather`
- a description such as "The agent must decline", or "do nothing if" in the prompt
- `should_trigger: false`, and graders that only forbid calls or skills

If yours says it in other words, mark it with a comment. Put it into the task's file, above its entry in a list, or at the top
of the eval for all of its tasks.

```yaml
# waza-lsp: negative-test
```

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Takes notes
inputs:
  prompt: Take notes of the meeting in meeting.txt.
graders:
  - type: text
    name: no-apology
    config:
      not_contains: [I am not able to]
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

from waza_engine.audit.codes import PASSES_WITHOUT_WORK
from waza_engine.audit.intent import Intent
from waza_engine.audit.placing import PlacedFinding, listed, place, unseen_files
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report a task that wants work and passes without it."""
    agents = [it.does for it in audit.accused]
    if audit.intent is not Intent.WORK or not agents or unseen_files(audit):
        return
    nearest = next((it for it in reversed(audit.graders) if it.path == audit.path), None)
    message = (
        f"This task passes for an agent that {listed(agents)}. Add a check that only the finished work passes"
    )
    yield from place(PASSES_WITHOUT_WORK, nearest, audit, message)
