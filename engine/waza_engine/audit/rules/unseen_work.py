"""Files that the recorded agent wrote, and that no grader looks at.

## Why
The agent did its work in files, but the graders read only what it says. An agent that claims the same and writes nothing
passes as well.

## What to do
Add a grader that looks at the files: at their existence, their content, or the difference that they make.

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
