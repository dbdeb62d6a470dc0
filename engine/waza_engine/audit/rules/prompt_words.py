r"""A check that an agent passes by repeating the prompt.

## Why
The check wants words that are in the prompt. An answer that only repeats the question has them, and so has each answer to
the topic, right or wrong. Other checks of the task do notice such an agent, so it does not pass the task.

## What to do
Ask for something that only the work brings to light: a number, a name from a file, the result.

## Example
```yaml file=tasks/some-task.yaml
id: some-task
name: Explains the failure
inputs:
  prompt: Why does test_login fail?
graders:
  - type: text
    name: on-topic
    config:
      contains: [test_login]
  - type: text
    name: finds-the-reason
    config:
      contains: [clock]
```

## Instead
```yaml file=tasks/some-task.yaml
id: some-task
name: Explains the failure
inputs:
  prompt: Why does test_login fail?
graders:
  - type: text
    name: finds-the-reason
    config:
      contains: [clock]
```

See [Is my eval any good?](../is-my-eval-any-good.md).
"""

from collections.abc import Iterator

from waza_engine.audit.codes import PROMPT_WORDS
from waza_engine.audit.intent import Intent
from waza_engine.audit.null_agents import DONE, ECHO, SILENCE
from waza_engine.audit.placing import PlacedFinding, is_own, place
from waza_engine.audit.score import TaskAudit


def check(audit: TaskAudit) -> Iterator[PlacedFinding]:
    """Report the task's own checks that the prompt meets, but not any other answer."""
    attempts = {it.name: it for it in audit.attempts if it.kind == "null agent" and it.status == "failed"}
    if audit.intent is not Intent.WORK or not attempts.keys() >= {DONE, ECHO, SILENCE}:
        return
    noticing = {*attempts[DONE].failed_graders} & {*attempts[SILENCE].failed_graders}
    for it in audit.graders:
        if is_own(audit, it) and it.demands and it.name in noticing - {*attempts[ECHO].failed_graders}:
            message = f"'{it.name or it.type}' passes for an agent that only repeats the prompt: what it wants is in there"
            yield from place(PROMPT_WORDS, it, audit, message)
