"""An entry under `inputs.files` that waza skips.

## Why
waza skips the entry, at most with a warning, and runs the task without the file. This happens if the path is absolute
or contains two dots anywhere, even inside a name. An empty `content` counts as no content.

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

DROPPED_INPUT_FILE = Rule("dropped-input-file", "input file that waza skips", needs=frozenset([HERE]))
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, data in document.tasks_with("inputs/files"):
        for it in input_files(document, task):
            if reason := _reason(it):
                outcome = "the run will fail" if it.has_content else "waza skips the file"
                folder = "workspace" if it.has_content else "fixtures folder"
                message = f"'{it.text}' {reason}, so {outcome}. Use a path inside the {folder}"
                fixes = _path_inside(document, data, it)
                yield DROPPED_INPUT_FILE.at(it.pointer, message, fixes=fixes)
        for pointer, entry in document.mappings(*task, "inputs", "files"):
            if entry.get("content") == "" and entry.get("path"):
                message = (
                    "An empty 'content' counts as none, so waza looks for the file in the fixtures folder"
                )
                yield DROPPED_INPUT_FILE.at((*pointer, "content"), message, severity=Severity.WARNING)


def _reason(file: PathValue) -> str:
    """Return why waza skips a file. One with content may have dots in its name, but must not be the workspace."""
    if file.has_content:
        return (input_refusal(file.text) or "is the workspace itself") if escape_reason(file.text) else ""
    return input_refusal(file.text)


def _path_inside(document: Document, task: Mapping[str, Any], file: PathValue) -> Iterator[Fix]:
    """Keep the part of the path that exists in the fixtures; if the file has content, the part without `..`."""
    folder = fixtures_folder(document, task)
    parts = [it for it in file.text.split("/") if it not in {"", ".", ".."}]
    for first in range(len(parts)):
        rest = "/".join(parts[first:])
        if file.has_content or (folder is not None and document.files.is_file(folder / rest)):
            yield Fix(f"Change to '{rest}'", (SetValue(file.pointer, rest),), preferred=True)
            return
