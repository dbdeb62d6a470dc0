"""An input file that does not exist in the fixtures folder.

## Why
waza only prints a warning: the agent works without the file, and the graders grade the result. A missing instruction file or
context fixture is an error: without it the task fails. Files come from
`fixtures` next to the eval, from the task's `context_dir`, or from `--context-dir`. If
the project folder has all files, a run with `--context-dir .` is probably meant, and the finding is information.

## Example
The folder `fixtures` has no `notes.txt`:

```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: notes.txt
```

```text file=fixtures/other.txt
something else
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: notes.txt
```

```text file=fixtures/notes.txt
budget: 4200
```
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.checks.resources import PathValue, fixtures_folder, input_files, is_refused
from waza_engine.dialects.waza.formats.paths import fixture_refusal
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

MISSING_FIXTURE = Rule("missing-fixture", "input file that does not exist", Severity.WARNING, fixable=True)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks_with("inputs/files", "inputs/context", "instruction_files"):
        yield from _input_files(document, task, data)
        yield from _context_fixture(document, task)
    if document.kind == "eval" and document.folder is not None:
        yield from _instructions(document, ("config",), document.folder / "fixtures")


def _input_files(document: Document, task: Pointer, data: Mapping[str, Any]) -> Iterator[Finding]:
    folder = fixtures_folder(document, data)
    if folder is None:
        return
    copied = [it for it in input_files(document, task) if not it.has_content and not is_refused(it.text)]
    missing = [it for it in copied if not document.files.exists(folder / cleaned(it.text))]
    is_below = all(document.files.exists(folder / _without_folder(folder, it.text)) for it in missing)
    root = document.process_dir if missing and not is_below else None
    if root is not None and _are_in(document, root, copied):
        message = f"{_display(document, folder)} lacks some of these files. The project folder has them all: run waza with `--context-dir .`"
        place = (*task, "inputs", "files")
        yield MISSING_FIXTURE.at(place, message, on="key", severity=Severity.INFORMATION)
        return
    if missing and len(missing) > 1 and not document.files.is_directory(folder):
        message = f"Folder {_display(document, folder)} not found. The agent will run without these files"
        yield MISSING_FIXTURE.at((*task, "inputs", "files"), message, on="key")
        return
    for it in missing:
        message = f"'{it.text}' not found in {_display(document, folder)}. The agent will run without it{path_advice(it.text)}"
        yield MISSING_FIXTURE.at(it.pointer, message, fixes=_similar_files(document, folder, it))
    yield from _instructions(document, task, folder)


def _are_in(document: Document, folder: Path, files: list[PathValue]) -> bool:
    return all(document.files.exists(folder / cleaned(it.text)) for it in files)


def _instructions(document: Document, base: Pointer, folder: Path) -> Iterator[Finding]:
    """Report missing instruction files, without which the task fails."""
    for pointer, name in document.texts(*base, "instruction_files"):
        if name and not is_refused(name) and not document.files.is_file(folder / cleaned(name)):
            message = (
                f"'{name}' not found in {_display(document, folder)}. The task will fail{path_advice(name)}"
            )
            fixes = path_fixes(document, folder, pointer, name, new="")
            yield MISSING_FIXTURE.at(pointer, message, severity=Severity.ERROR, fixes=fixes)


def _context_fixture(document: Document, task: Pointer) -> Iterator[Finding]:
    suite, text = document.suite, document.text(*task, "inputs", "context", "fixture")
    if suite is None or fixture_refusal(text):
        return
    if not document.files.exists(suite.folder / text):
        message = f"'{text}' not found in {suite.folder.name}/, the eval's folder. The task will fail{path_advice(text)}"
        place = (*task, "inputs", "context", "fixture")
        fixes = path_fixes(document, suite.folder, place, text, new="")
        yield MISSING_FIXTURE.at(place, message, severity=Severity.ERROR, fixes=fixes)


def _display(document: Document, folder: Path) -> str:
    """Return the folder as messages show it: relative to where runs start, if it is inside."""
    base = document.process_dir
    return f"{folder.relative_to(base) if base and folder.is_relative_to(base) else folder}/"


def _similar_files(document: Document, folder: Path, file: PathValue) -> Iterator[Fix]:
    """Change to an existing file with a similar name."""
    below = _without_folder(folder, file.text)
    if below != file.text and document.files.exists(folder / below):
        yield Fix(f"Change to '{below}'", (SetValue(file.pointer, below),), preferred=True)
    else:
        yield from path_fixes(document, folder, file.pointer, file.text, new="")


def _without_folder(folder: Path, text: str) -> str:
    """Return a path without the name of the fixtures folder, which is not a part of it."""
    return text.removeprefix("./").removeprefix(f"{folder.name}/")
