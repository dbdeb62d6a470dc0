"""A skill under test that is nowhere in the workspace.

## Why
The name must be spelt as in the front matter of the SKILL.md. With another one the agent works without the skill, and
waza says nothing.

## Example
With the skill `notes` in `skills/notes`:

```yaml
name: notes-eval
skill: note
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

```text file=skills/notes/SKILL.md
---
name: notes
description: Takes notes.
---
Take notes.
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```

```text file=skills/notes/SKILL.md
---
name: notes
description: Takes notes.
---
Take notes.
```
"""

from collections.abc import Iterator

from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.skills import are_skills_off, skills

UNKNOWN_SKILL = Rule("unknown-skill", "skill that is nowhere in the workspace", Severity.WARNING)
APPLIES = frozenset(["eval"])
_MOST = 6


def check(document: Document) -> Iterator[Finding]:
    name, suite = document.text("skill"), document.suite
    if not name or suite is None or are_skills_off(document):
        return
    known = {it.name for it in skills(suite, document.files)}
    if known and name not in known:
        close = nearest(name, known)
        fixes = [Fix(f"Change to '{it}'", (SetValue(("skill",), it),)) for it in close]
        listed = f"; there are {', '.join(sorted(known))}" if len(known) <= _MOST else ""
        hint = f". Did you mean '{close[0]}'?" if close else listed
        yield UNKNOWN_SKILL.at(
            ("skill",), f"No SKILL.md around here has the name '{name}'{hint}", fixes=fixes
        )
