"""A file that the prompt names and that the agent does not get.

## Why
The fixtures folder is not copied as a whole: the agent sees only what stands under `inputs.files`. It then invents the
content, or says that there is no such file.

## Example
With `notes.txt` in the folder `fixtures`:

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
_AROUND = "\"'`()[]{}<>,;:!?"
_LONGEST = 200


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks():
        folder = fixtures_folder(document, data)
        if folder is None or not document.files.is_directory(folder) or _has_more(document, task):
            continue
        listed = {it.text.removeprefix("./") for it in input_files(document, task)}
        instructions = data.get("instruction_files")
        listed |= (
            {it for it in instructions if isinstance(it, str)} if isinstance(instructions, list) else set()
        )
        for name in _named(document.text(*task, "inputs", "prompt")):
            if name not in listed and not _is_covered(name, listed) and _is_there(document, folder, name):
                fix = Fix(f"Add '{name}' to 'inputs.files'", (_append(task, name),), preferred=True)
                message = (
                    f"The prompt names '{name}', which is a fixture, but 'inputs.files' does not list it"
                )
                yield UNLISTED_FIXTURE.at((*task, "inputs", "prompt"), message, fixes=[fix])


def _has_more(document: Document, task: Pointer) -> bool:
    """Whether files come from elsewhere, too, or in a way that is not known yet: the workspace may hold anything."""
    inputs: Mapping[str, Any] = document.mapping(*task, "inputs")
    context, files = inputs.get("context"), inputs.get("files")
    return bool(
        inputs.get("repos")
        or (isinstance(context, Mapping) and context.get("fixture"))
        or (files is not None and not isinstance(files, list))
        or (files and len([*input_files(document, task)]) < len(files))
    )


def _named(prompt: str) -> list[str]:
    """Words of the prompt that look like file names, each once."""
    words = (it.strip(_AROUND).rstrip(".").removeprefix("./") for it in prompt.split())
    return list(dict.fromkeys(it for it in words if "." in it[1:] and len(it) < _LONGEST))


def _is_covered(name: str, listed: set[str]) -> bool:
    """Whether a listed file has this name in another folder."""
    return any(it.endswith(f"/{name}") for it in listed)


def _is_there(document: Document, folder: Path, name: str) -> bool:
    return not is_refused(name) and document.files.is_file(folder / name)


def _append(task: Pointer, name: str) -> AppendItem:
    return AppendItem((*task, "inputs", "files"), {"path": name})
