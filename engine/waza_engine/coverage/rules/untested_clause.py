"""A clause of a skill's description that no task and no trigger prompt exercises.

## Why
Agents choose a skill by its description. A clause after `USE FOR:`, `WHEN:` or `DO NOT USE FOR:` is a promise: the skill loads
for such a request, or stays out of it. Without a task or a trigger prompt, nothing notices when the promise breaks.

The finding is a hint in SKILL.md. It appears only if every prompt of the skill's evals is clearly about something else.

```markdown
---
name: release-notes
description: |
  Writes release notes from the commits since the last tag.
  USE FOR: "write release notes", "announce a release".
---
```

The only task of the skill's eval says "Write the release notes of version 2.0": the hint is at `announce a release`.

## What to do
Take the offered fix. It adds a trigger prompt, or a task if the eval has no trigger tests. If the clause is not a promise,
remove it from the description.

See [Does any eval test this clause?](../coverage.md)
"""

from waza_engine.model.findings import Rule, Severity
from waza_engine.project.skill_prompts import Clause

UNTESTED_CLAUSE = Rule(
    "untested-clause", "clause of a skill's description that no prompt exercises", Severity.HINT
)


def message(clause: Clause, evals: int) -> str:
    """Return the message at a clause of a skill with so many evals."""
    where = "the skill's eval" if evals == 1 else f"the skill's {evals} evals"
    return f"No task and no trigger prompt of {where} is about '{clause.words}'"
