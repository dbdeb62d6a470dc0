"""A grader that never looks at the agent's work.

## Why
It compares the prompt with the skill's description, for example. Its verdict is the same for every agent and every trial,
and it takes its share of the score.

## What to do
That can be what you want: as a test of the skill's description. Do not count it as a test of the agent, and add graders
that look at the answer, the tool calls or the files.

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
            message = "This grader reads only the prompt: its verdict is the same whatever the agent does"
            yield from place(BLIND_GRADER, it, audit, message)
