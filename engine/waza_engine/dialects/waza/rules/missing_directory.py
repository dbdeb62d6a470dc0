"""A directory that does not exist.

## Why
waza silently skips a skill directory that does not exist, so the agent runs without the skill. The path is relative to
the eval's folder, also in tasks.

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

from waza_engine.dialects.waza.checks.mocks import mcp_mocks
from waza_engine.dialects.waza.checks.run_paths import PathStatus, run_path, suite_folder
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes
from waza_engine.project.skills import missing_required

MISSING_DIRECTORY = Rule("missing-directory", "directory that does not exist", Severity.WARNING, fixable=True)
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    folder = suite_folder(document) if document.kind == "eval" or document.suite is not None else None
    if folder is None:
        return
    places: list[Pointer] = [
        (*task, "skill_directories") for task, _ in document.tasks_with("skill_directories")
    ]
    # A required skill that is in none of the folders is an error of its own, which names the folder.
    if document.kind == "eval" and not missing_required(document):
        places.append(("config", "skill_directories"))
    for place in places:
        for pointer, text in document.texts(*place):
            if text and text != "none" and not document.files.is_directory(folder / text):
                message = f"Folder '{text}' not found in {folder.name}/. The agent will run without its skill{path_advice(text)}"
                yield MISSING_DIRECTORY.at(
                    pointer, message, fixes=_similar_folders(document, folder, pointer, text)
                )
    for pointer, mock in (it for mocks in mcp_mocks(document) for it in document.mappings(*mocks)):
        fixtures, place = mock.get("fixtures"), (*pointer, "fixtures")
        if (
            isinstance(fixtures, str)
            and fixtures
            and (missing := _missing_fixtures(document, folder / fixtures))
        ):
            message = f"{missing} '{fixtures}' in {folder.name}/, so the run cannot start"
            fixes = _similar_folders(document, folder, place, fixtures)
            yield MISSING_DIRECTORY.at(place, message, severity=Severity.ERROR, fixes=fixes)
    for task, _ in document.tasks_with("inputs/repos"):
        yield from _sources(document, task)


def _missing_fixtures(document: Document, folder: Path) -> str:
    """Return what a folder of fixtures lacks, as the beginning of a message; empty if nothing."""
    if not document.files.is_directory(folder):
        return "No folder"
    return "" if any(it.endswith(".json") for it in document.files.names(folder)) else "No JSON file in"


def _sources(document: Document, task: Pointer) -> Iterator[Finding]:
    for pointer, repository in document.mappings(*task, "inputs", "repos"):
        source = repository.get("source")
        if isinstance(source, str) and source and run_path(document, source).status is PathStatus.MISSING:
            message = f"Folder '{source}' not found in the directory you run waza from, so the task will fail"
            # In capitals it is a placeholder, which a script replaces before the run.
            severity = Severity.HINT if source.isupper() else None
            yield MISSING_DIRECTORY.at((*pointer, "source"), message, severity=severity)


def _similar_folders(document: Document, folder: Path, place: Pointer, text: str) -> Iterator[Fix]:
    """Change to an existing folder with a similar name."""
    return path_fixes(document, folder, place, text.rstrip("/"), only=document.files.is_directory)
