"""An input file that is not in the fixtures folder.

## Why
waza only prints a warning and goes on: the agent works without the file, and the graders judge that. Files come from
`fixtures` beside the eval, from the folder that the task names as `context_dir`, or from `--context-dir`.

## Example
With an empty folder `fixtures`:

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
from waza_engine.project.names import similar_paths

MISSING_FIXTURE = Rule("missing-fixture", "input file that is not there", Severity.WARNING)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks():
        yield from _files(document, task, data)
        yield from _fixture(document, task)
    if document.kind == "eval" and document.folder is not None:
        yield from _instructions(document, ("config",), document.folder / "fixtures")


def _files(document: Document, task: Pointer, data: Mapping[str, Any]) -> Iterator[Finding]:
    folder = fixtures_folder(document, data)
    if folder is None:
        return
    wanted = [it for it in input_files(document, task) if not it.has_content and not is_refused(it.text)]
    missing = [it for it in wanted if not document.files.exists(folder / cleaned(it.text))]
    if missing and len(missing) > 1 and not document.files.is_directory(folder):
        message = (
            f"There is no folder {_shown(document, folder)} for these files; the agent works without them"
        )
        yield MISSING_FIXTURE.at((*task, "inputs", "files"), message, on="key")
        return
    for it in missing:
        message = f"'{it.text}' is not in {_shown(document, folder)}; the agent works without it"
        yield MISSING_FIXTURE.at(it.pointer, message, fixes=_similar(document, folder, it))
    yield from _instructions(document, task, folder)


def _instructions(document: Document, base: Pointer, folder: Path) -> Iterator[Finding]:
    """Instruction files are no choice: the run of the task ends with an error."""
    for pointer, name in document.texts(*base, "instruction_files"):
        if name and not is_refused(name) and not document.files.is_file(folder / cleaned(name)):
            message = f"'{name}' is not in {_shown(document, folder)}; the task ends with an error"
            yield MISSING_FIXTURE.at(pointer, message)


def _fixture(document: Document, task: Pointer) -> Iterator[Finding]:
    suite, text = document.suite, document.text(*task, "inputs", "context", "fixture")
    if suite is None or fixture_refusal(text):
        return
    if not document.files.exists(suite.folder / text):
        message = (
            f"'{text}' is not in {suite.folder.name}/, the folder of the eval; the task ends with an error"
        )
        yield MISSING_FIXTURE.at((*task, "inputs", "context", "fixture"), message)


def _shown(document: Document, folder: Path) -> str:
    base = document.process_dir
    return f"{folder.relative_to(base) if base and folder.is_relative_to(base) else folder}/"


def _similar(document: Document, folder: Path, wanted: PathValue) -> Iterator[Fix]:
    """Files whose names are nearly the same, where the file was looked for."""
    # The folder of the fixtures itself is no part of the path.
    below = wanted.text.removeprefix("./").removeprefix(f"{folder.name}/")
    if below != wanted.text and document.files.exists(folder / below):
        yield Fix(f"Change to '{below}'", (SetValue(wanted.pointer, below),), preferred=True)
    else:
        yield from similar_paths(document.files, folder, wanted.pointer, wanted.text)
