"""A skill under test that is not in the workspace.

## Why
The name must match the front matter of the SKILL.md exactly. Otherwise the agent works without the skill, and waza does
not warn you. The SKILL.md files of the whole repository count, wherever they are.

## Example
The skill `notes` is in `skills/notes`:

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
from waza_engine.project.skills import are_skills_off, skills, workspace_skills

UNKNOWN_SKILL = Rule("unknown-skill", "skill that is not in the workspace", Severity.WARNING)
APPLIES = frozenset(["eval"])
_MOST = 6


def check(document: Document) -> Iterator[Finding]:
    name, suite = document.text("skill"), document.suite
    if not name or suite is None or are_skills_off(document):
        return
    known = {it.name for it in skills(suite, document.files)}
    if not known or name in known:
        return
    # Skills of plugins may lie anywhere in the repository.
    everywhere = document.once(
        "skills of the workspace", lambda: {it.name for it in workspace_skills(suite, document.files)}
    )
    if name not in everywhere:
        known |= everywhere
        close = nearest(name, known)
        fixes = [Fix(f"Change to '{it}'", (SetValue(("skill",), it),)) for it in close]
        names = f". Known skills: {', '.join(sorted(known))}" if len(known) <= _MOST else ""
        hint = f". Did you mean '{close[0]}'?" if close else names
        yield UNKNOWN_SKILL.at(("skill",), f"No skill named '{name}' found{hint}", fixes=fixes)
