"""A directory in the file that is not there.

## Why
A skill directory that does not exist is passed over without a word: the agent runs without the skill. The path starts
at the folder of the eval, for tasks as well.

## Example
With the skill in `skills/notes`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
  skill_directories: [skill/notes]
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

from waza_engine.checking.document import Document
from waza_engine.checking.run_paths import suite_folder
from waza_engine.findings import Finding, Fix, Pointer, Rule, SetValue, Severity
from waza_engine.validation.spelling import nearest

MISSING_DIRECTORY = Rule("missing-directory", "directory that is not there", Severity.WARNING)
APPLIES = {"waza": {"eval", "task"}}


def check(document: Document) -> Iterator[Finding]:
    folder = suite_folder(document) if document.kind == "eval" or document.suite is not None else None
    if folder is None:
        return
    places: list[Pointer] = [(*task, "skill_directories") for task, _ in document.tasks()]
    if document.kind == "eval":
        places.append(("config", "skill_directories"))
    for place in places:
        for pointer, text in document.texts(*place):
            if text and text != "none" and not document.files.is_directory(folder / text):
                message = f"There is no folder '{text}' in {folder.name}/; waza goes on without its skill"
                yield MISSING_DIRECTORY.at(pointer, message, fixes=_similar(document, folder, pointer, text))
    for pointer, mock in document.mappings("mcp_mocks"):
        fixtures = mock.get("fixtures")
        if isinstance(fixtures, str) and fixtures and not document.files.is_directory(folder / fixtures):
            message = f"There is no folder '{fixtures}' in {folder.name}/: the mock has no tools"
            place = (*pointer, "fixtures")
            yield MISSING_DIRECTORY.at(place, message, fixes=_similar(document, folder, place, fixtures))


def _similar(document: Document, folder: Path, place: Pointer, text: str) -> Iterator[Fix]:
    """Folders whose names are nearly the same, where the folder was looked for."""
    head, slash, name = text.rstrip("/").rpartition("/")
    base = folder / head
    folders = [it for it in document.files.names(base) if document.files.is_directory(base / it)]
    for it in nearest(name, folders):
        yield Fix(f"Change to '{head}{slash}{it}'", (SetValue(place, f"{head}{slash}{it}"),))
