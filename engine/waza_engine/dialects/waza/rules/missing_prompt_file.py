"""A prompt file that cannot be read.

## Why
The path is relative to the folder of the task file. If the file does not exist, or the path is absolute or contains two
dots anywhere, waza refuses to load the task and with it the whole suite.

## Example
```yaml
id: first
name: First
inputs:
  prompt_file: prompts/first.md
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt_file: prompts/first.md
```

```text file=tasks/prompts/first.md
Say hello.
```
"""

from collections.abc import Iterator
from pathlib import Path

from waza_engine.dialects.waza.formats.paths import input_refusal
from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

MISSING_PROMPT_FILE = Rule("missing-prompt-file", "prompt file that cannot be read", fixable=True)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks_with("inputs/prompt_file"):
        text, place = document.text(*task, "inputs", "prompt_file"), (*task, "inputs", "prompt_file")
        if not text or document.has(*task, "inputs", "prompt"):
            # Together with a prompt, the file is one too many, whether it exists or not.
            continue
        if reason := input_refusal(text):
            message = f"'{text}' {reason}, so the run cannot start. Use a path inside this file's folder"
            yield MISSING_PROMPT_FILE.at(place, message)
        elif (folder := document.folder) is not None and not document.files.is_file(folder / cleaned(text)):
            message = f"'{text}' not found in {folder.name}/, this file's folder, so the run cannot start{path_advice(text)}"
            yield MISSING_PROMPT_FILE.at(
                place, message, severity=_severity(document), fixes=_fixes(document, folder, place, text)
            )


def _fixes(document: Document, folder: Path, place: Pointer, text: str) -> Iterator[Fix]:
    """Change to an existing file with a similar name, or create the file."""
    yield from path_fixes(document, folder, place, text, only=document.files.is_file, new="")


def _severity(document: Document) -> Severity:
    """Return a warning for a task that no eval lists: it may have been moved away from its files."""
    return Severity.ERROR if document.suite is not None else Severity.WARNING
