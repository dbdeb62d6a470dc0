"""An entry under `inputs.files` that waza leaves out.

## Why
waza passes over it, at most with a warning, and the run goes on without the file: a path that is absolute or has two
dots anywhere (also inside a name), or an empty `content`, which counts as none.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: ../shared/notes.txt
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Say hello.
  files:
    - path: shared/notes.txt
      content: "budget: 4200"
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.checks.resources import PathValue, fixtures_folder, input_files
from waza_engine.dialects.waza.formats.paths import input_refusal
from waza_engine.lib.paths import escape_reason
from waza_engine.model.findings import HERE, Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

DROPPED_INPUT_FILE = Rule("dropped-input-file", "input file that waza leaves out", needs=frozenset([HERE]))
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks():
        for it in input_files(document, task):
            if reason := _reason(it):
                end = "the run ends with an error" if it.has_content else "the file is left out"
                message = f"'{it.text}' {reason}: {end}. Name a path inside the fixtures folder"
                fixes = _inside(document, data, it)
                yield DROPPED_INPUT_FILE.at(it.pointer, message, fixes=fixes)
        for pointer, entry in document.mappings(*task, "inputs", "files"):
            if entry.get("content") == "" and entry.get("path"):
                message = "An empty content counts as none: the file is looked for in the fixtures folder"
                yield DROPPED_INPUT_FILE.at((*pointer, "content"), message, severity=Severity.WARNING)


def _reason(given: PathValue) -> str:
    """A file that is written here may have dots in its name, but must not be the workspace itself."""
    if given.has_content:
        return (input_refusal(given.text) or "is the workspace itself") if escape_reason(given.text) else ""
    return input_refusal(given.text)


def _inside(document: Document, task: Mapping[str, Any], given: PathValue) -> Iterator[Fix]:
    """The part of the path that is a file of the fixtures; for a file that is written here, the part without `..`."""
    folder = fixtures_folder(document, task)
    parts = [it for it in given.text.split("/") if it not in {"", ".", ".."}]
    for first in range(len(parts)):
        rest = "/".join(parts[first:])
        if given.has_content or (folder is not None and document.files.is_file(folder / rest)):
            yield Fix(f"Change to '{rest}'", (SetValue(given.pointer, rest),), preferred=True)
            return
