"""A required skill that waza will not find.

## Why
waza checks `required_skills` before the first task. Each must be the name in the front matter of a SKILL.md directly in
one of the skill directories; waza does not search the subfolders. Otherwise the run does not start.

## Example
The skill is in `skills/notes/SKILL.md`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  skill_directories: [skills]
  required_skills: [notes]
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
  skill_directories: [skills/notes]
  required_skills: [notes]
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
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import HERE, Finding, Fix, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_fixes
from waza_engine.project.skills import (
    are_skills_off,
    has_project_skills,
    missing_required,
    skill_folders,
    skill_in,
)

MISSING_REQUIRED_SKILL = Rule(
    "missing-required-skill", "required skill that waza will not find", needs=frozenset([HERE]), fixable=True
)
APPLIES = frozenset(["eval"])
_DIRECTORIES = ("config", "skill_directories")
_REQUIRED = ("config", "required_skills")

_FEW = 3


def check(document: Document) -> Iterator[Finding]:
    required = [it for it in document.texts(*_REQUIRED) if it[1]]
    if not required or are_skills_off(document) or document.folder is None:
        return
    if not document.has(*_DIRECTORIES):
        yield from _without_directories(document)
        return
    folders = skill_folders(document)
    present = {skill_in(it, document.files) for it in folders} - {""}
    for pointer, name in missing_required(document):
        yield _missing_skill(document, pointer, name, folders, present)


def _without_directories(document: Document) -> Iterator[Finding]:
    if has_project_skills(document):
        return
    message = "'required_skills' needs 'skill_directories', so the run cannot start"
    yield MISSING_REQUIRED_SKILL.at(_REQUIRED, message, on="key")


def _missing_skill(
    document: Document, pointer: Pointer, name: str, folders: list[Path], present: set[str]
) -> Finding:
    files = document.files
    for (place, text), folder in zip(document.texts(*_DIRECTORIES), folders, strict=True):
        children = {skill_in(folder / it, files): it for it in files.names(folder)}
        if name in children and not skill_in(folder, files):
            better = f"{text.rstrip('/')}/{children[name]}"
            message = f"Skill '{name}' is in '{better}', but waza does not search the subfolders of '{text}'"
            fix = Fix(f"Change '{text}' to '{better}'", (SetValue(place, better),), preferred=True)
            return MISSING_REQUIRED_SKILL.at(pointer, message, fixes=[fix], related=[(place, "this folder")])
    absent = [it for it in document.texts(*_DIRECTORIES) if it[1] and not _is_directory(document, it[1])]
    if absent:
        place, text = absent[0]
        folder = document.folder or Path()
        fixes = [*path_fixes(document, folder, place, text.rstrip("/"), only=files.is_directory)]
        message = f"No skill named '{name}' found, because there is no folder '{text}' in {folder.name}/. The run cannot start"
        return MISSING_REQUIRED_SKILL.at(pointer, message, fixes=fixes, related=[(place, "this folder")])
    fixes = [Fix(f"Change to '{it}'", (SetValue(pointer, it),)) for it in _suggested_names(name, present)]
    known = f" Known skills: {', '.join(sorted(present))}" if present else ""
    message = f"No skill named '{name}' in the skill directories, so the run cannot start.{known}"
    return MISSING_REQUIRED_SKILL.at(pointer, message, fixes=fixes)


def _is_directory(document: Document, text: str) -> bool:
    return document.folder is not None and document.files.is_directory(document.folder / text)


def _suggested_names(name: str, present: set[str]) -> list[str]:
    """Return the names similar to `name`, or all of them if they are few."""
    return nearest(name, present) or (sorted(present) if len(present) <= _FEW else [])
