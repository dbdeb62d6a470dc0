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
from pathlib import Path, PurePosixPath

from waza_engine.dialects.waza.checks.resources import workspace_files
from waza_engine.dialects.waza.checks.run_paths import Standing, run_path, suite_folder
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.names import similar_paths

MISSING_DIRECTORY = Rule("missing-directory", "directory that is not there", Severity.WARNING)
APPLIES = frozenset(["eval", "task"])


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
        fixtures, place = mock.get("fixtures"), (*pointer, "fixtures")
        if (
            isinstance(fixtures, str)
            and fixtures
            and (problem := _without_tools(document, folder / fixtures))
        ):
            message = f"There is no {problem} '{fixtures}' in {folder.name}/: no run can start"
            fixes = _similar(document, folder, place, fixtures)
            yield MISSING_DIRECTORY.at(place, message, severity=Severity.ERROR, fixes=fixes)
    for task, _ in document.tasks():
        yield from _workdir(document, task, folder)
        yield from _sources(document, task)


def _without_tools(document: Document, folder: Path) -> str:
    """What a folder of fixtures lacks."""
    if not document.files.is_directory(folder):
        return "folder"
    return "" if any(it.endswith(".json") for it in document.files.names(folder)) else "JSON file in"


def _sources(document: Document, task: Pointer) -> Iterator[Finding]:
    for pointer, repository in document.mappings(*task, "inputs", "repos"):
        source = repository.get("source")
        if isinstance(source, str) and source and run_path(document, source).standing is Standing.MISSING:
            message = f"There is no folder '{source}' where runs are started: the task ends with an error"
            yield MISSING_DIRECTORY.at((*pointer, "source"), message)


def _workdir(document: Document, task: Pointer, folder: Path) -> Iterator[Finding]:
    """Only what is put into the workspace can be the folder in which the agent starts."""
    place = (*task, "inputs", "workdir")
    text = document.text(*place)
    wanted = PurePosixPath(text)
    if not text or wanted == PurePosixPath() or wanted.is_absolute() or ".." in wanted.parts:
        return
    repositories = [document.text(*it, "dest") for it, _ in document.mappings(*task, "inputs", "repos")]
    if any(it and wanted.is_relative_to(it) for it in repositories):
        return  # What a repository holds is not looked at.
    names = [*repositories, *workspace_files(document, task)]
    above = {it for name in names for it in PurePosixPath(cleaned(name)).parents}
    fixture = document.text(*task, "inputs", "context", "fixture")
    if wanted not in above and not (fixture and document.files.is_directory(folder / fixture / text)):
        message = f"Nothing puts a folder '{text}' into the workspace: the task ends with an error"
        yield MISSING_DIRECTORY.at(place, message, severity=Severity.ERROR)


def _similar(document: Document, folder: Path, place: Pointer, text: str) -> Iterator[Fix]:
    """Folders whose names are nearly the same, where the folder was looked for."""
    files = document.files
    return similar_paths(files, folder, place, text.rstrip("/"), only=files.is_directory)
