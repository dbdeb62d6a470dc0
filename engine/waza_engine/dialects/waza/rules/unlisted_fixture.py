"""A file that the prompt names but the agent does not get.

## Why
waza does not copy the whole fixtures folder: the agent sees only the files under `inputs.files`. It then invents the
content of the missing file, or says that the file does not exist.

## Example
`notes.txt` is in the folder `fixtures`:

```yaml
id: first
name: First
inputs:
  prompt: Summarize notes.txt in one sentence.
```

```text file=fixtures/notes.txt
budget: 4200
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Summarize notes.txt in one sentence.
  files:
    - path: notes.txt
```
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.waza.checks.resources import fixtures_folder, input_files, is_refused
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, AppendItem, Finding, Fix, Rule, Severity
from waza_engine.project.document import Document

UNLISTED_FIXTURE = Rule(
    "unlisted-fixture",
    "file in the prompt that the agent does not get",
    Severity.WARNING,
    needs=frozenset([HERE]),
)
APPLIES = frozenset(["task", "eval"])
_PUNCTUATION = "\"'`()[]{}<>,;:!?"
_LONGEST = 200


def check(document: Document) -> Iterator[Finding]:
    for task, data, _ in document.task_results(_named_files):
        folder = fixtures_folder(document, data)
        if folder is None or not document.files.is_directory(folder) or _has_other_files(document, task):
            continue
        available = {it.text.removeprefix("./") for it in input_files(document, task)}
        instructions = data.get("instruction_files")
        available |= (
            {it for it in instructions if isinstance(it, str)} if isinstance(instructions, list) else set()
        )
        for name in _file_names(document.text(*task, "inputs", "prompt")):
            is_available = name in available or _is_in_subfolder(name, available)
            if not is_available and _is_fixture(document, folder, name):
                fix = Fix(f"Add '{name}' to 'inputs.files'", (_append(task, name),), preferred=True)
                message = (
                    f"The prompt names the fixture '{name}', but the agent does not get it. "
                    "Add it under 'inputs.files'"
                )
                yield UNLISTED_FIXTURE.at((*task, "inputs", "prompt"), message, fixes=[fix])


def _has_other_files(document: Document, task: Pointer) -> bool:
    """Whether the workspace may hold other files: from other places, or from entries that cannot be read yet."""
    inputs: Mapping[str, Any] = document.mapping(*task, "inputs")
    context, files = inputs.get("context"), inputs.get("files")
    return bool(
        inputs.get("repos")
        or (isinstance(context, Mapping) and context.get("fixture"))
        or (files is not None and not isinstance(files, list))
        or (files and len([*input_files(document, task)]) < len(files))
    )


def _named_files(document: Document, task: Mapping[str, Any]) -> list[str]:
    return _file_names(document.entry(task).text("inputs", "prompt"))


def _file_names(prompt: str) -> list[str]:
    """Return the words of the prompt that look like file names, without duplicates."""
    words = (it.strip(_PUNCTUATION).rstrip(".").removeprefix("./") for it in prompt.split())
    return list(dict.fromkeys(it for it in words if "." in it[1:] and len(it) < _LONGEST))


def _is_in_subfolder(name: str, available: set[str]) -> bool:
    """Whether an available file has this name in some folder."""
    return any(it.endswith(f"/{name}") for it in available)


def _is_fixture(document: Document, folder: Path, name: str) -> bool:
    return not is_refused(name) and document.files.is_file(folder / name)


def _append(task: Pointer, name: str) -> AppendItem:
    return AppendItem((*task, "inputs", "files"), {"path": name})
